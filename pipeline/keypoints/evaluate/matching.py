"""Track 1 of KPA 2021: the task's own score of matched key points, and the table of methods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Mask, Matrix, Scores
from pipeline.evaluation.result import Row, Value
from pipeline.keypoints.evaluate.data import UNDECIDED, Labels, Part
from pipeline.matching.matcher import Matcher
from pipeline.measures import bootstrap_interval, mean_of_defined

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
    hits = np.cumsum(right[order])
    # Equal scores are one threshold: only the last of them counts.
    ends = np.append(np.flatnonzero(np.diff(scores[order])), right.size - 1)
    gained = np.diff(hits[ends], prepend=0)
    return float((gained * hits[ends] / (ends + 1)).sum() / hits[-1])


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
    return mean_of_defined(better_half(scores, labels, random).precision(reading, scorer) for _ in range(count))


def means(figures: Sequence[Figures]) -> dict[str, float | None]:
    """The mean of each figure."""
    return {name: mean_of_defined(row[name] for row in figures) for name in figures[0]}


# Strict and relaxed figure of a published system.
Reported = tuple[float, float]


@dataclass(frozen=True)
class MethodScores:
    """A method's scores: one matrix for each group, or several if they are drawn by chance.

    From `threshold` on a score is a match; None if the method only ranks.
    """

    method: str
    groups: tuple[tuple[Matrix, ...], ...]
    threshold: float | None = None

    @classmethod
    def of(cls, matcher: Matcher, part: Part) -> "MethodScores":
        threshold = matcher.threshold or None  # 0 where a matcher only ranks
        return cls(matcher.name, tuple((group.scores(matcher),) for group in part.groups), threshold)


def matching_rows(
    part: Part, scored: Sequence[MethodScores], seed: int, reported: Mapping[str, Reported] | None = None
) -> Iterator[Row]:
    """The table over all groups first, by the leaderboard's scorer and then the later one; then group by group.

    `reported` are systems of which only the figures are known.
    """
    figures = {
        (method.method, scorer): [
            _figures(group.labels, matrices, scorer, seed)
            for group, matrices in zip(part.groups, method.groups, strict=True)
        ]
        for scorer in SCORERS
        for method in scored
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
        expected = (expected_precision(matrix, labels, reading, scorer, seed=seed) for matrix in matrices)
        figures[f"{reading}_expected"] = mean_of_defined(expected)
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
        yield {**row, **own, "mean_rank": mean_of_defined(own.values())}


def _ranks(figures: Sequence[Value]) -> list[float | None]:
    """1 for the highest; None for what has no figure.

    >>> _ranks([0.5, 0.9, 0.5, None])
    [2.5, 1.0, 2.5, None]
    """
    from scipy.stats import rankdata

    values = np.array([np.nan if figure is None else figure for figure in figures], dtype=np.float64)
    return [None if np.isnan(rank) else float(rank) for rank in rankdata(-values, nan_policy="omit")]


_TEST_TOPICS = {
    "Routine child vaccinations should be mandatory",
    "Social media platforms should be regulated by the government",
    "The USA is a good country to live in",
}
# Strict and relaxed figures that systems reported on the task's test part (Friedman et al. 2021). Enigma's is from
# after the leaderboard. Their predictions were not published.
_REPORTED: dict[str, Reported] = {
    "mspl (RoBERTa-large)": (0.908, 0.972),
    "heinrichreimer (RoBERTa)": (0.912, 0.967),
    "vund (RoBERTa-large)": (0.878, 0.968),
    "HKL (ALBERT-XXL)": (0.896, 0.963),
    "sohanpatnaik": (0.872, 0.966),
    "Enigma, after the evaluation": (0.921, 0.982),
    "token overlap of the task": (0.483, 0.575),
}


def reported_on(part: Part) -> dict[str, Reported]:
    """The reported figures, where the part is the test part of the task; else none."""
    topics = {argument.topic.strip().rstrip(".") for argument in part.arguments}
    return _REPORTED if topics == _TEST_TOPICS else {}
