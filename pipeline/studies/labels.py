"""Labels from the decisions of several workers, by majority and by MACE, and how far the workers agree."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from pipeline.arrays import Integers, Matrix
from pipeline.evaluation.result import Row
from pipeline.graph import Votes, run_mace
from pipeline.grouping import grouped
from pipeline.measures import fleiss_kappa, with_interval
from pipeline.studies.items import Item, votes
from pipeline.studies.study import Given, Study

_RESTARTS = 20


class Unit(NamedTuple):
    """What is decided: one question of an item, or one row of it."""

    item: str
    question: str
    row: str


@dataclass(frozen=True)
class Decision:
    """What one worker decided of one unit. The value is a letter of the item."""

    worker: str
    unit: Unit
    value: str


@dataclass(frozen=True)
class Labelled:
    """The label of a unit. `majority` is None for a tie. `probability` is MACE's, of its own label."""

    unit: Unit
    counts: dict[str, int]
    majority: str | None
    mace: str
    probability: float

    @property
    def votes(self) -> int:
        return sum(self.counts.values())

    def share(self, *values: str) -> float:
        """The share of workers who decided for one of these values."""
        return sum(self.counts.get(value, 0) for value in values) / self.votes

    @property
    def best(self) -> str:
        """The label by majority; that of MACE where there is a tie."""
        return self.majority if self.majority is not None else self.mace


@dataclass(frozen=True)
class Labels:
    """The labels of all units, and how far MACE trusts each worker, by the first question of the items."""

    by_unit: dict[Unit, Labelled]
    competence: dict[str, float]


def decisions(study: Study, given: Iterable[Given]) -> list[Decision]:
    """Every decision of some answers. Those that came after the time limit have none."""
    return [
        Decision(one.worker, Unit(one.item, vote.question, vote.row), vote.value)
        for one in given
        if not one.late
        for vote in votes(study.by_id[one.item], one.answers)
    ]


def label(study: Study, decided: Sequence[Decision]) -> Labels:
    """The label of everything that was decided. MACE is run on each question, all items together."""
    by_unit: dict[Unit, Labelled] = {}
    competence: dict[str, float] = {}
    main = main_questions(study)
    for question, of_question in grouped((decision.unit.question, decision) for decision in decided).items():
        labelled, trusted = _of_question(study, of_question)
        by_unit |= labelled
        competence |= trusted if question in main else {}
    return Labels(by_unit, competence)


def main_questions(study: Study) -> set[str]:
    """The first question of each item. Workers are judged by these."""
    return {item.questions[0].id for item in study.items}


def _of_question(study: Study, decided: Sequence[Decision]) -> tuple[dict[Unit, Labelled], dict[str, float]]:
    units = list(dict.fromkeys(decision.unit for decision in decided))
    workers = sorted({decision.worker for decision in decided})
    values = values_of(study.by_id[unit.item] for unit in units)[decided[0].unit.question]
    row_of = {unit: row for row, unit in enumerate(units)}
    number = {worker: row for row, worker in enumerate(workers)}
    triples = [(row_of[decision.unit], number[decision.worker], values.index(decision.value)) for decision in decided]
    mace = run_mace(Votes.from_triples(triples, len(units), len(workers), len(values)), restarts=_RESTARTS)
    counts = {
        unit: Counter(chosen)
        for unit, chosen in grouped((decision.unit, decision.value) for decision in decided).items()
    }
    best = mace.labels()
    labelled = {
        unit: Labelled(
            unit, dict(counts[unit]), majority_of(counts[unit]), values[best[row]], float(mace.probabilities[row].max())
        )
        for unit, row in row_of.items()
    }
    return labelled, {worker: float(mace.competence[row]) for worker, row in number.items()}


def majority_of(counts: Counter[str]) -> str | None:
    """The most frequent value; None for a tie."""
    first, *others = counts.most_common(2)
    return first[0] if not others or others[0][1] < first[1] else None


def values_of(items: Iterable[Item]) -> dict[str, list[str]]:
    """The values that the answers to each question can have, in the order of its options."""
    values: dict[str, dict[str, None]] = {}
    for item in items:
        for question in item.questions:
            own = ("0", "1") if question.kind == "several" else (option.value for option in question.options)
            values.setdefault(question.id, {}).update(dict.fromkeys(own))
    return {question: list(known) for question, known in values.items()}


# How far workers agree: Cohen's, Fleiss' and free-marginal kappa, Krippendorff's alpha; intervals over items.

Level = Literal["nominal", "ordinal", "interval"]
_SAMPLES = 500


def krippendorff_alpha(counts: Integers, level: Level = "nominal") -> float | None:
    """Krippendorff's alpha of units (rows) by values in their order (columns); each cell has how many gave that value.

    Units may differ in their number of votes; those with one vote do not count. None where it is not defined.

    >>> round(krippendorff_alpha(np.array([[2, 0], [0, 2], [1, 1], [2, 0]])) or 0, 3)
    0.533
    """
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return None
    totals = counts.sum(axis=0)
    distance = _distances(totals, level)
    pairs = counts.sum(axis=1) - 1
    observed = float((np.einsum("uc,uk,ck->u", counts, counts, distance) / pairs).sum())
    expected = float(totals @ distance @ totals) / (totals.sum() - 1)
    return None if expected == 0 else float(1 - observed / expected)


def _distances(totals: Integers, level: Level) -> Matrix:
    """The squared distances of all pairs of values, at this level of measurement."""
    size = len(totals)
    if level == "nominal":
        return np.asarray(1.0 - np.eye(size))
    places = np.arange(size) if level == "interval" else np.cumsum(totals) - totals / 2
    return np.asarray((places[:, None] - places[None, :]) ** 2)


def agreement_rows(study: Study, decided: Sequence[Decision]) -> list[Row]:
    """The coefficients of each question: of all decisions, by mode (listening, reading) and by side."""
    items = study.by_id
    questions = grouped((decision.unit.question, decision) for decision in decided)
    return [
        {"question": question, **part_row}
        for question, of_question in questions.items()
        for part_row in _rows_of_parts(items, question, of_question)
    ]


def _rows_of_parts(items: dict[str, Item], question: str, decided: Sequence[Decision]) -> list[Row]:
    modes = grouped((items[decision.unit.item].mode, decision) for decision in decided)
    sides = grouped((items[decision.unit.item].side, decision) for decision in decided)
    parts = {"all": tuple(decided)}
    parts |= modes if len(modes) > 1 else {}
    parts |= {side: members for side, members in sides.items() if side} if len(sides) > 1 else {}
    return [{"of": name, **coefficients(items, question, members)} for name, members in parts.items()]


def coefficients(items: dict[str, Item], question: str, decided: Sequence[Decision]) -> Row:
    """The coefficients of the decisions on one question, each with its interval; None where it is not defined."""
    units = grouped((decision.unit, decision) for decision in decided)
    values = values_of(items[unit.item] for unit in units)[question]
    asked = next(each for each in items[decided[0].unit.item].questions if each.id == question)
    level: Level = "ordinal" if asked.ordinal else "nominal"
    counts = {
        unit: np.array([sum(member.value == value for member in members) for value in values])
        for unit, members in units.items()
    }
    tables = [np.array(rows) for rows in grouped((unit.item, row) for unit, row in counts.items()).values()]
    row: Row = {
        "workers": len({decision.worker for decision in decided}),
        "units": len(units),
        "decisions": len(decided),
    }
    chosen = _chosen(decided)
    row |= _with_interval("cohen_kappa", chosen, lambda sample: mean_cohen_kappa(np.concatenate(sample, axis=2)))
    # How many values a decision on the question can have in its item.
    sizes = {unit: len(values_of([items[unit.item]])[question]) for unit in units}
    row["free_marginal_kappa"] = free_marginal_kappa(list(counts.values()), list(sizes.values()))
    row |= _with_interval("fleiss_kappa", tables, lambda sample: fleiss_kappa(np.concatenate(sample)))
    return row | _with_interval(
        "krippendorff_alpha", tables, lambda sample: krippendorff_alpha(np.concatenate(sample), level)
    )


def free_marginal_kappa(counts: Sequence[Integers], options: Sequence[int]) -> float | None:
    """Agreement beyond what choosing by chance among each unit's own options gives; None without two votes on a unit.

    It fits questions whose options differ from item to item, such as which of several speeches answers one: there, how
    often a letter is chosen in all says nothing.

    >>> free_marginal_kappa([np.array([3, 0, 0]), np.array([0, 2, 1])], [3, 3])
    0.5
    """
    several = [(unit, size) for unit, size in zip(counts, options, strict=True) if unit.sum() >= 2]
    if not several:
        return None
    observed = np.mean([(unit * (unit - 1)).sum() / (unit.sum() * (unit.sum() - 1)) for unit, _ in several])
    expected = np.mean([1 / size for _, size in several])
    return round(float((observed - expected) / (1 - expected)), 10) if expected < 1 else None


def _with_interval(name: str, items: Sequence[Any], statistic: Callable[[Sequence[Any]], float | None]) -> Row:
    """A coefficient and its interval over items; None where it is not defined."""

    def or_nan(sample: Sequence[Any]) -> float:
        value = statistic(sample)
        return float("nan") if value is None else value

    is_defined = statistic(items) is not None
    return {**with_interval(name, items if is_defined else (), or_nan, samples=_SAMPLES)}


def _chosen(decided: Sequence[Decision]) -> list[Integers]:
    """For each item an array of values by workers by units, which has a 1 where a worker chose a value."""
    workers = {worker: place for place, worker in enumerate(sorted({decision.worker for decision in decided}))}
    values = {value: place for place, value in enumerate(sorted({decision.value for decision in decided}))}
    chosen = []
    for own in grouped((decision.unit.item, decision) for decision in decided).values():
        units = {unit: place for place, unit in enumerate(dict.fromkeys(decision.unit for decision in own))}
        table = np.zeros((len(values), len(workers), len(units)), dtype=np.int64)
        for decision in own:
            table[values[decision.value], workers[decision.worker], units[decision.unit]] = 1
        chosen.append(table)
    return chosen


def mean_cohen_kappa(chosen: Integers) -> float | None:
    """Cohen's kappa averaged over all pairs of workers, from values by workers by units; None if it is not defined.

    A pair counts that has decided on some units together, unless both chose one and the same value for all of them.

    >>> mean_cohen_kappa(np.array([[[1, 1, 0, 0], [1, 0, 0, 0]], [[0, 0, 1, 1], [0, 1, 1, 1]]]))
    0.5
    """
    tables = chosen.astype(np.float64)
    decided = tables.sum(axis=0)
    # How often the one of each two workers chose a value where the other decided, too; for the other, the transpose.
    margins = tables @ decided.T
    agreed, together = (tables @ tables.transpose(0, 2, 1)).sum(axis=0), decided @ decided.T
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (margins * margins.transpose(0, 2, 1)).sum(axis=0) / together**2
        kappas = (agreed / together - expected) / (1 - expected)
    pairs = kappas[np.triu_indices(len(kappas), 1)]
    defined = pairs[np.isfinite(pairs)]
    return round(float(defined.mean()), 10) if len(defined) else None
