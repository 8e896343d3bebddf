"""People's votes on pairs of arguments, and the CSV file that has one vote per line.

Its columns are `argument1`, `argument2`, `worker` and `vote`. A vote is `a1` (the first argument is more convincing),
`a2` or `equal`. A column `topic` tells graphs apart, and a column `reason` keeps why the worker voted so. The two
arguments of a pair may stand in any order, vote by vote, but not always the better one first: a worker who votes `a1`
everywhere would look like one who votes without reading.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element, ParseError

from pipeline.errors import RostrumError
from pipeline.text.terms import composed

Vote = Literal["a1", "a2", "equal"]
VOTES: tuple[Vote, ...] = ("a1", "a2", "equal")
_COLUMNS = ("argument1", "argument2", "worker", "vote")
_SWAPPED: dict[Vote, Vote] = {"a1": "a2", "a2": "a1", "equal": "equal"}


@dataclass(frozen=True)
class PairVotes:
    """One pair of arguments, what each worker voted, and the reasons that workers gave."""

    topic: str
    first: str
    second: str
    votes: dict[str, Vote]
    reasons: dict[str, str] = field(default_factory=dict)


def read_votes(path: Path) -> list[PairVotes]:
    """The pairs in the file's order, each with all its votes."""
    pairs: dict[tuple[str, str, str], PairVotes] = {}
    for number, row in _rows(path):
        topic, first, second, worker, vote, reason = _checked(path, number, row)
        if swapped := (topic, second, first) in pairs:
            first, second = second, first
        pair = pairs.setdefault((topic, first, second), PairVotes(topic, first, second, {}))
        if worker in pair.votes:
            raise RostrumError(
                f"{path}: line {number}: {worker} has voted on {first} and {second} before; one vote each"
            )
        pair.votes[worker] = _SWAPPED[vote] if swapped else vote
        if reason:
            pair.reasons[worker] = reason
    if not pairs:
        raise RostrumError(f"{path}: no votes in it")
    return list(pairs.values())


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
            if missing:
                raise RostrumError(f"{path}: no column {missing[0]!r}; it needs {', '.join(_COLUMNS)}")
            for row in reader:
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RostrumError(f"{path}: cannot read the votes: {error}") from error


def _checked(path: Path, number: int, row: dict[str, str | None]) -> tuple[str, str, str, str, Vote, str]:
    """(topic, first argument, second argument, worker, vote, reason) of a line."""
    first, second, worker, vote = (composed(row[column] or "").strip() for column in _COLUMNS)
    if not (first and second and worker):
        raise RostrumError(f"{path}: line {number}: an argument or the worker is missing")
    if first == second:
        raise RostrumError(f"{path}: line {number}: {first} is compared to itself")
    if vote not in VOTES:
        raise RostrumError(f"{path}: line {number}: the vote is {vote!r}; it can be {', '.join(VOTES)}")
    topic, reason = ((row.get(column) or "").strip() for column in ("topic", "reason"))
    return topic, first, second, worker, vote, reason


# Gold labels and weights of pairs, from the votes on them.


# UKPConvArg1's XML: a file per topic, with every worker's vote on every pair and the reason for it.
#
# Files are read pair by pair, so that 80 MB of them need little memory.

_PAIR = "annotatedArgumentPair"


@dataclass(frozen=True)
class AnnotatedPair:
    """A pair with its votes, and what the authors found by MACE.

    `gold` is the label, None where it was too uncertain; `competence` has each voter's.
    """

    votes: PairVotes
    gold: Vote | None
    competence: dict[str, float]


def read_annotated_pairs(folder: Path) -> Iterator[AnnotatedPair]:
    """The pairs of every XML file in a folder, file by file; a topic is called as its file."""
    files = sorted(folder.glob("*.xml"))
    if not files:
        raise RostrumError(f"{folder}: no .xml files with votes in it")
    for file in files:
        yield from _of_file(file)


def _of_file(path: Path) -> Iterator[AnnotatedPair]:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    try:
        with path.open("rb") as file:
            events = iterparse(file, events=("start", "end"))
            _, root = next(events)
            for event, element in events:
                if event == "end" and element.tag == _PAIR:
                    yield _pair(path, element)
                    root.clear()
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    except DefusedXmlException as error:
        raise RostrumError(f"{path}: declares XML entities, which are not read from a data set") from error
    except ParseError as error:
        raise RostrumError(f"{path}: not valid XML: {error}") from error


def _pair(path: Path, element: Element) -> AnnotatedPair:
    place = f"{path}: pair {element.findtext('id')}"
    first, second = _text(place, element, "arg1/id"), _text(place, element, "arg2/id")
    votes: dict[str, Vote] = {}
    reasons: dict[str, str] = {}
    competence: dict[str, float] = {}
    for assignment in element.iter("mTurkAssignment"):
        worker = _text(place, assignment, "turkID")
        votes[worker] = _vote(place, _text(place, assignment, "value"))
        if reason := (assignment.findtext("reason") or "").strip():
            reasons[worker] = reason
        if known := assignment.findtext("turkCompetence"):
            competence[worker] = _number(place, known)
    gold = element.findtext("goldLabel")
    return AnnotatedPair(
        PairVotes(path.stem, first, second, votes, reasons),
        None if gold is None else _vote(place, gold),
        competence,
    )


def _text(place: str, element: Element, path: str) -> str:
    text = (element.findtext(path) or "").strip()
    if not text:
        raise RostrumError(f"{place}: has no {path.replace('/', ' ')}")
    return text


def _vote(place: str, value: str) -> Any:
    if value not in VOTES:
        raise RostrumError(f"{place}: the vote is {value!r}; it can be {', '.join(VOTES)}")
    return value


def _number(place: str, value: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise RostrumError(f"{place}: a competence is {value!r}, which is no number") from error
