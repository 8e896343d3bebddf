"""Track 2 of KPA 2021: key points written by rostrum beside those of the experts.

Without people to judge them, what can be counted is: which share of the arguments makes one of them, how many of them
say the same as another, and which share of the experts' key points says the same as one of them. All of it is counted
by the same matcher and thresholds, and for sentences drawn by chance as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.keypoints.candidates import candidates
from pipeline.argue.keypoints.generation import SAME_ABOVE_THRESHOLD, generate
from pipeline.argue.keypoints.matcher import Matcher
from pipeline.arrays import Floats
from pipeline.evaluation.keypoints.data import Group, Part, Statement, as_predictions
from pipeline.evaluation.keypoints.scoring import mean
from pipeline.evaluation.result import Row

RANDOM_DRAWS = 20


@dataclass(frozen=True)
class Counted:
    """What can be counted of a set of key points; `experts` is None where there are none to compare with."""

    key_points: float
    covered: float
    redundant: float
    experts: float | None


@dataclass(frozen=True)
class Writing:
    """One group's key points: written, their scores with the arguments, and what was counted of each set."""

    group: Group
    texts: tuple[str, ...]
    scores: Floats
    threshold: float
    counted: dict[str, Counted]

    def statements(self) -> list[Statement]:
        """The key points as the task has them, with ids of their own."""
        topic = "".join(letter if letter.isalnum() else "_" for letter in self.group.topic.lower())
        return [
            Statement(f"kp_{topic}_{self.group.stance}_{number}", text, self.group.topic, self.group.stance)
            for number, text in enumerate(self.texts)
        ]

    def predictions(self) -> dict[str, dict[str, float]]:
        """The arguments' scores with them, as the task has them."""
        written = Group(
            self.group.topic, self.group.stance, self.group.arguments, tuple(self.statements()), self.group.labels
        )
        return as_predictions(written, self.scores)

    def lines(self) -> Iterator[str]:
        """The key points beside the experts', each with how many arguments make it best."""
        yield f"{self.group.topic} ({self.group.stance}, {len(self.group.arguments)} arguments)"
        for text, count in zip(self.texts, _best_counts(self.scores, self.threshold), strict=True):
            yield f"  written  {count:4d}  {text}"
        labelled = (self.group.labels == 1).sum(axis=0)
        for point, count in zip(self.group.key_points, labelled, strict=True):
            yield f"  expert   {count:4d}  {point.text}"


def write_all(part: Part, matcher: Matcher, *, seed: int = 0) -> list[Writing]:
    """Write key points for every group of a part."""
    return [_write(group, matcher, np.random.default_rng(seed)) for group in part.groups]


def writing_rows(writings: Sequence[Writing]) -> Iterator[Row]:
    """What was counted, over all groups and then group by group."""
    methods = list(dict.fromkeys(method for writing in writings for method in writing.counted))
    for method in methods:
        yield {"method": method, **_row([each.counted[method] for each in writings if method in each.counted])}
    for writing in writings:
        for method, counted in writing.counted.items():
            about: Row = {"topic": writing.group.topic, "stance": writing.group.stance}
            yield {"method": method, **_row([counted]), **about, "arguments": len(writing.group.arguments)}


def _row(counted: Sequence[Counted]) -> Row:
    return {
        "key_points": mean([each.key_points for each in counted]),
        "covered": mean([each.covered for each in counted]),
        "redundant": mean([each.redundant for each in counted]),
        "experts_found": mean([each.experts for each in counted]),
    }


def _write(group: Group, matcher: Matcher, random: np.random.Generator) -> Writing:
    arguments = [argument.text for argument in group.arguments]
    made = generate(group.topic, arguments, matcher)
    texts = tuple(each.text for each in made.key_points)
    experts = [point.text for point in group.key_points]
    counted = {"written key points": _count(group, arguments, texts, matcher)}
    pool = [each.text for each in candidates(arguments, group.topic, style="written")]
    if texts:
        draws = [random.choice(len(pool), size=len(texts), replace=False) for _ in range(RANDOM_DRAWS)]
        counts = [_count(group, arguments, [pool[index] for index in draw], matcher) for draw in draws]
        counted["random sentences"] = Counted(
            len(texts),
            float(np.mean([each.covered for each in counts])),
            float(np.mean([each.redundant for each in counts])),
            mean([each.experts for each in counts]),
        )
    if experts:
        counted["experts' key points"] = _count(group, arguments, experts, matcher)
    return Writing(group, texts, made.scores, matcher.threshold, counted)


def _count(group: Group, arguments: Sequence[str], texts: Sequence[str], matcher: Matcher) -> Counted:
    if not texts:
        return Counted(0, 0.0, 0.0, 0.0 if group.key_points else None)
    experts = [point.text for point in group.key_points]
    covered = matcher.scores(group.topic, arguments, texts).max(axis=1) >= matcher.threshold
    among = matcher.scores(group.topic, texts, texts)
    np.fill_diagonal(among, -np.inf)
    same = matcher.threshold + SAME_ABOVE_THRESHOLD
    found = matcher.scores(group.topic, experts, texts).max(axis=1) >= same if experts else None
    return Counted(
        key_points=len(texts),
        covered=float(covered.mean()),
        redundant=float((among.max(axis=1) >= same).mean()),
        experts=None if found is None else float(found.mean()),
    )


def _best_counts(scores: Floats, threshold: float) -> list[int]:
    """How many texts make each key point, every text its best one only."""
    if not scores.size:
        return [0] * scores.shape[1]
    makes = scores.max(axis=1) >= threshold
    best = scores.argmax(axis=1)[makes]
    return [int(count) for count in np.bincount(best, minlength=scores.shape[1])]
