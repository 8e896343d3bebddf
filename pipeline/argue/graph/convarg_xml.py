"""UKPConvArg1's XML: a file per topic, with every worker's vote on every pair and the reason for it.

Files are read pair by pair, so that 80 MB of them need little memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from pipeline.argue.graph.votes import VOTES, PairVotes, Vote
from pipeline.errors import RostrumError

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
