"""KPA 2021's own score: average precision of the better-scored half of the arguments, each with its best key point.

Two versions were published. `leaderboard` is the one that ranked the submissions; `later` also multiplies the average
precision by the share of the half that is right. A pair that has no label is one that the annotators did not agree on:
`strict` counts it as wrong, `relaxed` as right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from pipeline.arrays import Mask, Scores
from pipeline.keypoints.evaluate.data import UNDECIDED, Labels

Scorer = Literal["leaderboard", "later"]
Reading = Literal["strict", "relaxed"]
SCORERS: tuple[Scorer, ...] = get_args(Scorer)
READINGS: tuple[Reading, ...] = get_args(Reading)

# Figures by name; None where one is not defined.
Figures = Mapping[str, float | None]

# The task's tool treats an argument without any prediction as a wrong one, ranked as if it were nearly sure.
_NO_PREDICTION_SCORE = 0.0
_NO_PREDICTION_RANK = 0.99


@dataclass(frozen=True)
class Half:
    """The better-scored half of a group: the score of each argument's best key point, and that pair's label."""

    scores: Scores
    labels: Labels

    def precision(self, reading: Reading, scorer: Scorer) -> float | None:
        """Average precision; None where there is no half, because the group is a single argument."""
        if not self.labels.size:
            return None
        right = (self.labels == 1) | ((self.labels == UNDECIDED) & (reading == "relaxed"))
        precision = average_precision(right, self.scores)
        return precision * float(right.mean()) if scorer == "later" else precision


def average_precision(right: Mask, scores: Scores) -> float:
    """The sum over score thresholds of the gain in recall times the precision there; 0 where nothing is right."""
    if not right.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(right[order])
    # Equal scores are one threshold: only the last of them counts.
    ends = np.append(np.flatnonzero(np.diff(scores[order])), right.size - 1)
    gained = np.diff(found[ends], prepend=0)
    return float((gained * found[ends] / (ends + 1)).sum() / found[-1])


def better_half(scores: Scores, labels: Labels, random: np.random.Generator) -> Half:
    """Pair each argument with its best key point and keep the better half; ties at random. nan is no prediction."""
    if not scores.shape[1]:
        return _cut(np.full(len(scores), -np.inf), np.zeros(len(scores), dtype=np.int8), random)
    filled = np.where(np.isnan(scores), -np.inf, scores)
    best = filled.max(axis=1)
    lots = np.where(filled == best[:, None], random.random(filled.shape), -1.0)
    chosen = labels[np.arange(len(labels)), lots.argmax(axis=1)]
    return _cut(best, np.where(np.isneginf(best), 0, chosen).astype(np.int8), random)


def _cut(best: Scores, chosen: Labels, random: np.random.Generator) -> Half:
    unpredicted = np.isneginf(best)
    ranked = np.lexsort((random.random(best.size), -np.where(unpredicted, _NO_PREDICTION_SCORE, best)))
    kept = ranked[: best.size // 2]
    return Half(np.where(unpredicted, _NO_PREDICTION_RANK, best)[kept], chosen[kept])


def has_ties(scores: Scores) -> bool:
    """Whether chance decides on the better half: two best key points, or equal scores at the cut."""
    if not scores.size:
        return False
    filled = np.where(np.isnan(scores), -np.inf, scores)
    best = filled.max(axis=1)
    if ((filled == best[:, None]).sum(axis=1) > 1)[np.isfinite(best)].any():
        return True
    ranked = np.sort(np.where(np.isneginf(best), _NO_PREDICTION_SCORE, best))[::-1]
    cut = best.size // 2
    return bool(0 < cut < best.size and ranked[cut - 1] == ranked[cut])


def expected_precision(
    scores: Scores, labels: Labels, reading: Reading, scorer: Scorer, *, draws: int = 200, seed: int = 0
) -> float | None:
    """The expected precision over ties: the mean of `draws` seeded draws, or of one draw if nothing is tied."""
    random = np.random.default_rng(seed)
    count = draws if has_ties(scores) else 1
    found = [better_half(scores, labels, random).precision(reading, scorer) for _ in range(count)]
    return mean(found)


def mean(values: Sequence[Any]) -> float | None:
    """The mean of those that are defined, or None where none is."""
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None


def means(figures: Sequence[Figures]) -> dict[str, float | None]:
    """The mean of each figure."""
    return {name: mean([each[name] for each in figures]) for name in figures[0]}


# The figures that systems of the KPA 2021 task reported on its test part. Their predictions were not published.
