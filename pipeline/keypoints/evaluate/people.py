"""People beside matchers: which of the labelled pairs are matches, decided one by one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pipeline.arrays import Floats, Integers, Mask
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import Part
from pipeline.keypoints.evaluate.matching import MethodScores
from pipeline.measures import bootstrap_interval, fleiss_kappa, pooled_mean, precision_recall_f1, right_alone

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
