"""Training a matcher on the passages that people judged in a report, and comparing it with the shipped one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pipeline.errors import RostrumError
from pipeline.evaluation.result import Trained
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import Part, speech_of
from pipeline.keypoints.evaluate.training import MatcherOptions, learn
from pipeline.matching.matcher import Matcher, load_matcher
from pipeline.matching.matchers.encoders import trained_file
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.progress import Progress

# The kind of matcher that it would take the place of: fine-tuned like it, on ArgKP.
_SHIPPED = "tuned"
# With more speeches, several are left out at a time.
_MOST_FOLDS = 5
_FEWEST = 10


def train_on_judged(
    part: Part, folder: Path, out: Path | None, *, base: str, options: MatcherOptions, replace: bool, progress: Progress
) -> Trained:
    """Train on all judged passages; the file is where `trained` looks only if it is better than the shipped one."""
    speeches = list(dict.fromkeys(speech_of(argument) for argument in part.arguments))
    if len(part.labels) < _FEWEST or len(speeches) < 2 or len({*part.labels.values()}) < 2:
        raise RostrumError(
            f"{folder}: {len(part.labels)} judged passages of {len(speeches)} speeches; to learn from them, {_FEWEST} "
            "of two speeches or more are needed, some that make a point and some that do not: answer the queue of "
            "`rostrum report RUN --serve --edit`"
        )
    right, shipped = [], []
    folds = [speeches[first::_MOST_FOLDS] for first in range(min(_MOST_FOLDS, len(speeches)))]
    with TemporaryDirectory() as scratch:
        for number, left_out in enumerate(folds):
            progress(number / (len(folds) + 1), f"leaving {', '.join(left_out)[:60]} out")
            file = Path(scratch, f"{number}.safetensors")
            learn(_of(part, [one for one in speeches if one not in left_out]), None, file, base=base, options=options)
            tested = [_of(part, [speech]) for speech in left_out]
            right += [_right(load_matcher(str(file)), one) for one in tested]
            shipped += [_right(load_matcher(_SHIPPED), one) for one in tested]
    differences = [[float(np.mean(one) - np.mean(other))] for one, other in zip(right, shipped, strict=True)]
    is_better, place = pooled_mean(differences) > 0, trained_file()
    file = out or (place if replace or is_better else place.with_suffix(".not-used.safetensors"))
    header = learn(part, None, file, base=base, options=options, progress=progress)
    low, high = bootstrap_interval(differences, pooled_mean)
    sure = "" if low is None or high is None else f", 95 % interval {low:+.3f} to {high:+.3f}"
    remarks = [
        f"{len(part.labels)} judged passages of {len(speeches)} speeches; threshold {header.threshold:.3f}",
        f"on speeches left out, right of each speech: {_mean(right):.3f}; the shipped matcher {_SHIPPED!r}: "
        f"{_mean(shipped):.3f} (difference {pooled_mean(differences):+.3f}{sure})",
    ]
    if not out and not replace and not is_better:
        remarks.append("it is no better, and is not used; `--replace` keeps it for keypoints.matcher=trained")
    return Trained(file, tuple(remarks))


def _mean(right: Sequence[Sequence[bool]]) -> float:
    return float(np.mean([np.mean(one) for one in right]))


def _of(part: Part, speeches: Sequence[str]) -> Part:
    """The passages of some speeches."""
    arguments = tuple(one for one in part.arguments if speech_of(one) in speeches)
    known = {one.id for one in arguments}
    labels = {about: label for about, label in part.labels.items() if about[0] in known}
    return replace(part, arguments=arguments, labels=labels)


def _right(matcher: Matcher, part: Part) -> list[bool]:
    """Of each judged pair, whether the matcher says the same."""
    points = {point.id: point for point in part.key_points}
    arguments = {argument.id: argument for argument in part.arguments}
    pairs = grouped(((arguments[one].topic, (one, other))) for one, other in part.labels)
    right = []
    for topic, own in pairs.items():
        for one, other in own:
            score = matcher.scores(topic, [arguments[one].text], [points[other].text])[0, 0]
            right.append(bool((score >= matcher.threshold) == part.labels[one, other]))
    return right
