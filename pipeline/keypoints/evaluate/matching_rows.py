"""The matchers that the evaluation compares: as they are, fine-tuned, and their scores against rivals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Matrix
from pipeline.evaluation.result import Row, Value
from pipeline.keypoints.evaluate.data import Part
from pipeline.keypoints.evaluate.scoring import (
    READINGS,
    SCORERS,
    Figures,
    Scorer,
    better_half,
    expected_precision,
    mean,
    means,
)
from pipeline.matching.matcher import Matcher, always_shown, load_matcher
from pipeline.matching.matchers.encoders import SECOND_ENCODER, Ensemble, ensemble, load_weights, plain_encoder
from pipeline.measures.intervals import bootstrap_interval

ENSEMBLE = "ensemble"
FINE_TUNED = "fine-tuned"
_SHARE = 0.6


@dataclass(frozen=True)
class AgainstRivals:
    """Another matcher's scores less a share of the argument's best score with any other key point.

    An argument that fits one key point alone is the surest match. One that fits all of them a little is about the topic
    in general. The best key point of every argument stays the same. This suits a small set of different key points.
    """

    matcher: Matcher
    name: str
    threshold: float = 0.0

    @property
    def digest(self) -> str:
        return self.matcher.digest

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        found = self.matcher.scores(topic, arguments, key_points)
        if found.shape[1] < 2:
            return found
        ranked = np.sort(found, axis=1)
        is_best = found == ranked[:, -1:]
        return found - _SHARE * np.where(is_best, ranked[:, -2:-1], ranked[:, -1:])


@dataclass(frozen=True)
class Weights:
    """The files of weights of the ensemble's fine-tuned encoders."""

    first: Path
    second: Path

    @property
    def tuned(self) -> Matcher:
        return load_weights(self.first, f"{FINE_TUNED}, cosine alone")

    def ensemble(self, name: str) -> Ensemble:
        return ensemble(self.tuned, load_weights(self.second, SECOND_ENCODER), name)


def fine_tuned(weights: Weights) -> list[Matcher]:
    """The encoder with the first weights and the ensemble, each by its cosines and against rivals."""
    tuned, together = weights.tuned, weights.ensemble(f"{ENSEMBLE}, cosine alone")
    return [tuned, AgainstRivals(tuned, FINE_TUNED), together, AgainstRivals(together, ENSEMBLE)]


def unlearned(encoder: str) -> list[Matcher]:
    """The baselines, the encoders as they are, and the mean of both; these also against rivals."""
    plain = load_matcher(encoder)
    both = Ensemble((plain, plain_encoder(SECOND_ENCODER)), "both encoders", plain.threshold)
    return [
        *(load_matcher(name) for name in (*always_shown(), SECOND_ENCODER)),
        plain,
        AgainstRivals(plain, f"{plain.name}, against rivals"),
        both,
        AgainstRivals(both, "both encoders, against rivals"),
    ]


# The table of track 1: each method's score over all groups, its rank as in the task, and its score group by group.

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


# The figures that systems of the KPA 2021 task reported on its test part. Their predictions were not published.

_TEST_TOPICS = {
    "Routine child vaccinations should be mandatory",
    "Social media platforms should be regulated by the government",
    "The USA is a good country to live in",
}
# Strict and relaxed figures of the leaderboard (Friedman et al. 2021), but for Enigma's, which is from after it.
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
