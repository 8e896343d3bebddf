"""Labels from the decisions of several workers: by majority, and by MACE, which trusts some more than others."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.graph import Votes, run_mace
from pipeline.grouping import grouped
from pipeline.studies.answers import Given
from pipeline.studies.items import Item, votes
from pipeline.studies.study import Study

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
