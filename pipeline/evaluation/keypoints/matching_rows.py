"""The table of track 1: each method's score over all groups, its rank as in the task, and its score group by group."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.keypoints.matcher import Matcher
from pipeline.arrays import Matrix
from pipeline.evaluation.keypoints.data import Part
from pipeline.evaluation.keypoints.scoring import (
    READINGS,
    SCORERS,
    Figures,
    Scorer,
    better_half,
    expected_precision,
    mean,
    means,
)
from pipeline.evaluation.result import Row, Value
from pipeline.measures.intervals import bootstrap_interval

# Strict and relaxed figure of a published system.
Reported = tuple[float, float]


@dataclass(frozen=True)
class MethodScores:
    """A method's scores: one matrix for each group, or several if they are drawn by chance."""

    method: str
    groups: tuple[tuple[Matrix, ...], ...]

    @classmethod
    def of(cls, matcher: Matcher, part: Part) -> "MethodScores":
        return cls(matcher.name, tuple((group.scores(matcher),) for group in part.groups))


def matching_rows(
    part: Part, scored: Sequence[MethodScores], seed: int, reported: Mapping[str, Reported] | None = None
) -> Iterator[Row]:
    """The table over all groups first, by the leaderboard's scorer and then the later one; then group by group.

    `reported` are systems of which only the figures are known.
    """
    figures = {
        (each.method, scorer): [
            _figures(group.labels, matrices, scorer, seed)
            for group, matrices in zip(part.groups, each.groups, strict=True)
        ]
        for scorer in SCORERS
        for each in scored
    }
    over_all: list[Row] = [
        {"method": method, "scorer": scorer, **_over_groups(of_groups, seed)}
        for (method, scorer), of_groups in figures.items()
    ]
    over_all += [
        {"method": f"reported: {name}", "scorer": "leaderboard", "strict": strict, "relaxed": relaxed}
        for name, (strict, relaxed) in (reported or {}).items()
    ]
    for scorer in SCORERS:
        yield from ranked([row for row in over_all if row["scorer"] == scorer])
    for (method, scorer), of_groups in figures.items():
        for group, values in zip(part.groups, of_groups, strict=True):
            about: Row = {"topic": group.topic, "stance": group.stance, "arguments": len(group.arguments)}
            yield {"method": method, "scorer": scorer, **values, **about}


def _figures(labels: NDArray[np.int8], matrices: Sequence[Matrix], scorer: Scorer, seed: int) -> Figures:
    """One group's figures: by one seeded draw of ties, and expected over all draws."""
    half = better_half(matrices[0], labels, np.random.default_rng(seed))
    figures: dict[str, float | None] = {reading: half.precision(reading, scorer) for reading in READINGS}
    for reading in READINGS:
        expected = [expected_precision(matrix, labels, reading, scorer, seed=seed) for matrix in matrices]
        figures[f"{reading}_expected"] = mean(expected)
    return figures


def _over_groups(of_groups: Sequence[Figures], seed: int) -> Row:
    """The macro average of the groups' figures, with an interval over resampled groups."""
    row: Row = {**means(of_groups)}
    for reading in READINGS:
        defined = [value for values in of_groups if (value := values[f"{reading}_expected"]) is not None]
        low, high = bootstrap_interval(defined, seed=seed)
        row |= {f"{reading}_low": low, f"{reading}_high": high}
    return row


def ranked(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows with their ranks by strict and by relaxed figure, and the mean of both, which is the task's ranking.

    Equal figures share the mean of their ranks. Expected figures are used, if there are any.
    """
    ranks = {reading: _ranks([row.get(f"{reading}_expected", row[reading]) for row in rows]) for reading in READINGS}
    for number, row in enumerate(rows):
        own = {f"{reading}_rank": ranks[reading][number] for reading in READINGS}
        yield {**row, **own, "mean_rank": mean(list(own.values()))}


def _ranks(figures: Sequence[Value]) -> list[float | None]:
    """1 for the highest; None for what has no figure.

    >>> _ranks([0.5, 0.9, 0.5, None])
    [2.5, 1.0, 2.5, None]
    """
    from scipy.stats import rankdata

    values = np.array([np.nan if figure is None else figure for figure in figures], dtype=np.float64)
    return [None if np.isnan(rank) else float(rank) for rank in rankdata(-values, nan_policy="omit")]
