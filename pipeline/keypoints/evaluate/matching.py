"""Track 1 of KPA 2021: the task's own score of matched key points, the table of methods, and people beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Integers, Mask, Matrix
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.evaluation.result import Row, Value
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import UNDECIDED, Labels, Part
from pipeline.matching.matcher import Matcher
from pipeline.measures import (
    bootstrap_interval,
    fleiss_kappa,
    mean_of_defined,
    pooled_mean,
    precision_recall_f1,
    right_alone,
)

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

    scores: Matrix
    labels: Labels

    def precision(self, reading: Reading, scorer: Scorer) -> float | None:
        """Average precision; None where there is no half, because the group is a single argument."""
        if not self.labels.size:
            return None
        right = (self.labels == 1) | ((self.labels == UNDECIDED) & (reading == "relaxed"))
        precision = average_precision(right, self.scores)
        return precision * float(right.mean()) if scorer == "later" else precision


def average_precision(right: Mask, scores: Matrix) -> float:
    """The sum over score thresholds of the gain in recall times the precision there; 0 where nothing is right."""
    if not right.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(right[order])
    # Equal scores are one threshold: only the last of them counts.
    ends = np.append(np.flatnonzero(np.diff(scores[order])), right.size - 1)
    gained = np.diff(hits[ends], prepend=0)
    return float((gained * hits[ends] / (ends + 1)).sum() / hits[-1])


def better_half(scores: Matrix, labels: Labels, random: np.random.Generator) -> Half:
    """Pair each argument with its best key point and keep the better half; ties at random. nan is no prediction."""
    if not scores.shape[1]:
        return _cut(np.full(len(scores), -np.inf), np.zeros(len(scores), dtype=np.int8), random)
    filled = np.where(np.isnan(scores), -np.inf, scores)
    best = filled.max(axis=1)
    lots = np.where(filled == best[:, None], random.random(filled.shape), -1.0)
    chosen = labels[np.arange(len(labels)), lots.argmax(axis=1)]
    return _cut(best, np.where(np.isneginf(best), 0, chosen).astype(np.int8), random)


def _cut(best: Matrix, chosen: Labels, random: np.random.Generator) -> Half:
    unpredicted = np.isneginf(best)
    ranked = np.lexsort((random.random(best.size), -np.where(unpredicted, _NO_PREDICTION_SCORE, best)))
    kept = ranked[: best.size // 2]
    return Half(np.where(unpredicted, _NO_PREDICTION_RANK, best)[kept], chosen[kept])


def has_ties(scores: Matrix) -> bool:
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
    scores: Matrix, labels: Labels, reading: Reading, scorer: Scorer, *, draws: int = 200, seed: int = 0
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


# People beside matchers: which of the labelled pairs are matches, decided one by one.


PEOPLE, NONE = "people, one against the others", "no match at all"
_COLUMNS = ("worker", "kept", "subject", "question", "row", "answer")
_QUESTION = "points"
# (number of the group, of the argument, of the key point)
_Pair = tuple[int, int, int]


def people_rows(file: Path, part: Part, scored: Sequence[MethodScores]) -> list[Row]:
    """One person, and every method with a threshold, on the pairs that two people or more decided on.

    The file is `decisions.csv` of `rostrum annotate collect`. A person is right who says what most of the others say;
    a method, if it has the pair's label. Pairs without a label are left out.
    """
    votes = _votes(file, part)
    if not votes:
        raise RostrumError(
            f"{file}: no decisions of two people on a labelled pair; give decisions.csv of the same study"
        )
    pairs, counts = list(votes), np.array(list(votes.values()))
    labels = np.array([part.groups[group].labels[row, column] == 1 for group, row, column in pairs])
    decided = [(NONE, np.zeros(len(pairs), dtype=bool)), *_of_methods(pairs, scored)]
    rows: list[Row] = [_people(pairs, counts)]
    for name, decisions in decided:
        rows.append({"method": name, **_accuracy(pairs, decisions == labels), **_f1(decisions, labels)})
    return [{"decided": "pair by pair", **row} for row in rows]


def _votes(file: Path, part: Part) -> dict[_Pair, tuple[int, int]]:
    """(no, yes) of each labelled pair on which two people or more decided, those left out aside."""
    places = {
        (argument.id, point.id): (number, row, column)
        for number, group in enumerate(part.groups)
        for row, argument in enumerate(group.arguments)
        for column, point in enumerate(group.key_points)
        if (argument.id, point.id) in part.labels
    }
    answers = (
        (places[pair], row["answer"])
        for _, row in read_rows(file, _COLUMNS)
        if row["kept"] == "1" and row["question"] == _QUESTION and (pair := (row["subject"], row["row"])) in places
    )
    counted = {pair: (given.count("0"), given.count("1")) for pair, given in grouped(answers).items()}
    return {pair: votes for pair, votes in counted.items() if sum(votes) > 1}


def _people(pairs: Sequence[_Pair], counts: Integers) -> Row:
    """One person: what they say of each pair, and what most of the others say; ties count half, and not for F1."""
    said, others = [], []
    for no, yes in counts:
        for own, agree, differ in ((False, no - 1, yes), (True, yes - 1, no)):
            times = (yes if own else no) if agree != differ else 0
            said += [own] * times
            others += [own if agree > differ else not own] * times
    f1 = _f1(np.array(said, dtype=bool), np.array(others, dtype=bool))
    return {"method": PEOPLE, **_accuracy(pairs, right_alone(counts)), **f1, "fleiss_kappa": fleiss_kappa(counts)}


def _of_methods(pairs: Sequence[_Pair], scored: Sequence[MethodScores]) -> Iterator[tuple[str, Mask]]:
    for method in scored:
        if method.threshold is not None:
            scores = np.array([method.groups[group][0][row, column] for group, row, column in pairs])
            yield method.method, scores >= method.threshold


def _accuracy(pairs: Sequence[_Pair], right: Floats | Mask) -> Row:
    """The share that is right, with its interval over sides of topics."""
    by_group = list(grouped((pair[0], float(one)) for pair, one in zip(pairs, right, strict=True)).values())
    low, high = bootstrap_interval(by_group, pooled_mean)
    return {"pairs": len(pairs), "accuracy": pooled_mean(by_group), "accuracy_low": low, "accuracy_high": high}


def _f1(decisions: Mask, labels: Mask) -> Row:
    return dict(zip(("precision", "recall", "f1"), precision_recall_f1(decisions, labels), strict=True))
