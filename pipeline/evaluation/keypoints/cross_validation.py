"""Cross-validation over topics: matchers that are fine-tuned on some topics, and scored on the others."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher, always_shown, load_matcher
from pipeline.argue.keypoints.matchers.ensemble import SECOND_ENCODER, with_second
from pipeline.argue.keypoints.matchers.weights import load_weights
from pipeline.evaluation.keypoints.data import Part
from pipeline.evaluation.keypoints.matching_rows import Scored, expected
from pipeline.evaluation.keypoints.parts import folds, of_topics
from pipeline.evaluation.keypoints.rivals import AgainstRivals
from pipeline.evaluation.keypoints.scoring import READINGS, Reading
from pipeline.evaluation.keypoints.training.fitting import data_digest, group_scores, learn, stored_weights
from pipeline.measures.intervals import bootstrap_interval
from pipeline.progress import Progress

FINE_TUNED = "fine-tuned, cosine alone"


def cross_validated(part: Part, count: int, *, encoder: str, seed: int, progress: Progress) -> list[Scored]:
    """Each group's scores by matchers that have learned from the topics of the other folds."""
    matrices: dict[str, dict[tuple[str, str], tuple[np.ndarray, ...]]] = {}
    parts = folds(part, count, seed)
    for number, held_out in enumerate(parts):
        training = of_topics(part, [topic for fold in parts for topic in fold if fold is not held_out])

        def in_fold(share: float, what: str, number: int = number) -> None:
            progress((number + share) / count, f"fold {number + 1} of {count}, {what}")

        for matcher in _matchers(training, encoder, in_fold):
            for group in of_topics(part, held_out).groups:
                scores = group_scores(matcher, group)
                matrices.setdefault(matcher.name, {})[group.topic, group.stance] = (scores,)
    return [
        Scored(name, tuple(found[group.topic, group.stance] for group in part.groups))
        for name, found in matrices.items()
    ]


def _matchers(training: Part, encoder: str, progress: Progress) -> list[Matcher]:
    """The matchers that learn nothing, the fine-tuned encoder, the ensemble, and the last two against rivals."""
    file = stored_weights(data_digest(training), encoder)
    if not file.exists():
        learn(training, None, file, base=encoder, progress=progress)
    tuned = load_weights(file, FINE_TUNED)
    both = with_second(tuned, "ensemble, cosine alone")
    learned = [tuned, AgainstRivals(tuned, "fine-tuned"), both, AgainstRivals(both, "ensemble")]
    return [*unlearned_matchers(encoder), *learned]


def unlearned_matchers(encoder: str) -> list[Matcher]:
    """The baselines, the encoders as they are, and the mean of both; these also against rivals."""
    plain = load_matcher(encoder)
    both = with_second(plain, "both encoders")
    return [
        *(load_matcher(name) for name in (*always_shown(), SECOND_ENCODER)),
        plain,
        AgainstRivals(plain, f"{plain.name}, against rivals"),
        both,
        AgainstRivals(both, "both encoders, against rivals"),
    ]


def differences(part: Part, scored: Sequence[Scored], seed: int) -> Iterator[str]:
    """For each two methods, the mean difference over groups with its interval over topics, as a line of text."""
    figures = {each.method: {reading: expected(part, each, reading, seed) for reading in READINGS} for each in scored}
    for other, one in combinations(figures, 2):
        for reading in READINGS:
            yield _difference(part, one, other, figures[one][reading], figures[other][reading], reading)


def _difference(
    part: Part,
    one: str,
    other: str,
    ours: Sequence[float | None],
    theirs: Sequence[float | None],
    reading: Reading,
) -> str:
    by_topic: dict[str, list[float]] = {}
    for group, a, b in zip(part.groups, ours, theirs, strict=True):
        if a is not None and b is not None:
            by_topic.setdefault(group.topic, []).append(a - b)
    topics = list(by_topic.values())
    low, high = bootstrap_interval(topics, lambda drawn: float(np.mean([d for topic in drawn for d in topic])))
    mean = float(np.mean([difference for topic in topics for difference in topic]))
    better = sum(float(np.mean(topic)) > 0 for topic in topics)
    interval = f" [{low:+.3f}, {high:+.3f}]" if low is not None else ""
    return f"{one} over {other}, {reading}: {mean:+.3f}{interval}, higher on {better} of {len(topics)} topics"
