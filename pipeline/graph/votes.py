"""People's votes on pairs of arguments with their reasons, from a CSV file or from UKPConvArg1's XML.

The CSV file has one vote per line. Its columns are `argument1`, `argument2`, `worker` and `vote`. A vote is `a1` (the
first argument is more convincing), `a2` or `equal`. A column `topic` tells graphs apart, and a column `reason` keeps
why the worker voted so. The two arguments of a pair may stand in any order, vote by vote, but not always the better one
first: a worker who votes `a1` everywhere would look like one who votes without reading.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element, ParseError

from pipeline.errors import RostrumError
from pipeline.text.terms import composed, stem, stop_words, tokens

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


# UKPConvArg1's XML: a file per topic, with every worker's vote on every pair and the reason for it.
#
# Files are read pair by pair, so that 80 MB of them need little memory.

_PAIR = "annotatedArgumentPair"


@dataclass(frozen=True)
class AnnotatedPair:
    """A pair with its votes, and the results of the authors' MACE.

    `gold` is the label, None where it was too uncertain; `competence` has each voter's, and `rank` the voter's place
    among all workers by it. `stance` is what a voter said of the own view: same, opposite or none.
    """

    votes: PairVotes
    gold: Vote | None
    competence: dict[str, float]
    rank: dict[str, float]
    stance: dict[str, str]


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
    name = f"{path}: pair {element.findtext('id')}"
    first, second = _text(name, element, "arg1/id"), _text(name, element, "arg2/id")
    votes: dict[str, Vote] = {}
    reasons: dict[str, str] = {}
    competence: dict[str, float] = {}
    rank: dict[str, float] = {}
    stance: dict[str, str] = {}
    for assignment in element.iter("mTurkAssignment"):
        worker = _text(name, assignment, "turkID")
        votes[worker] = _vote(name, _text(name, assignment, "value"))
        if reason := (assignment.findtext("reason") or "").strip():
            reasons[worker] = reason
        if known := assignment.findtext("turkCompetence"):
            competence[worker] = _number(name, "competence", known)
        if place := assignment.findtext("turkRank"):
            rank[worker] = _number(name, "rank", place)
        stance[worker] = assignment.findtext("workerStance") or "none"
    gold = element.findtext("goldLabel")
    return AnnotatedPair(
        PairVotes(path.stem, first, second, votes, reasons),
        None if gold is None else _vote(name, gold),
        competence,
        rank,
        stance,
    )


def _text(name: str, element: Element, path: str) -> str:
    text = (element.findtext(path) or "").strip()
    if not text:
        raise RostrumError(f"{name}: has no {path.replace('/', ' ')}")
    return text


def _vote(name: str, value: str) -> Any:
    if value not in VOTES:
        raise RostrumError(f"{name}: the vote is {value!r}; it can be {', '.join(VOTES)}")
    return value


def _number(name: str, what: str, value: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise RostrumError(f"{name}: a {what} is {value!r}, which is no number") from error


# Why workers held an argument more, or less, convincing than another: for each argument its most typical reason.

Side = Literal["for", "against"]
# How workers name the two arguments of a pair.
_NAMED = re.compile(r"\b(?:a|arg|argument)\s*(?:(1|one)|2|two)\b", re.IGNORECASE)
THIS, OTHER = "this argument", "the other"
_MOST_WORDS = 5


@dataclass(frozen=True)
class TypicalReason:
    """The reason for or against an argument that shares most with all other reasons given for it.

    `words` are the content words that most of the reasons have.
    """

    topic: str
    argument: str
    side: Side
    reasons: int
    typical: str
    words: tuple[str, ...]


def typical_reasons(voted: Iterable[PairVotes]) -> list[TypicalReason]:
    """For each argument why it was held more convincing (`for`) and less convincing (`against`) than others."""
    given: defaultdict[tuple[str, str, Side], list[str]] = defaultdict(list)
    for pair in voted:
        for worker, reason in pair.reasons.items():
            vote = pair.votes[worker]
            if vote == "equal":
                continue
            for argument, first in ((pair.first, True), (pair.second, False)):
                side: Side = "for" if (vote == "a1") is first else "against"
                given[pair.topic, argument, side].append(_seen_from(reason, first=first))
    return [_typical(*key, reasons) for key, reasons in sorted(given.items())]


def _seen_from(reason: str, *, first: bool) -> str:
    """The reason with the arguments named from the view of the first, or of the second.

    >>> _seen_from("A1 gives more facts than argument two.", first=False)
    'the other gives more facts than this argument.'
    """
    return _NAMED.sub(lambda match: THIS if bool(match[1]) is first else OTHER, " ".join(reason.split()))


def _typical(topic: str, argument: str, side: Side, reasons: list[str]) -> TypicalReason:
    content = [_content(reason) for reason in reasons]
    having = Counter(stem for stems in content for stem in stems)

    def shared(index: int) -> float:
        """How many reasons have a word of this one, on average over its words."""
        stems = content[index]
        return sum(having[stem] for stem in stems) / (len(stems) + 1)

    best = max(range(len(reasons)), key=lambda index: (shared(index), -len(reasons[index]), reasons[index]))
    return TypicalReason(topic, argument, side, len(reasons), reasons[best], tuple(_most_common(reasons, having)))


def _content(reason: str) -> set[str]:
    """Stems of the content words."""
    return {stem(word) for word in _words(reason) if word not in stop_words()}


def _words(reason: str) -> list[str]:
    """The words without the names of the arguments, and without 'argument', which tells nothing of one."""
    return [word for word in tokens(reason.replace(THIS, " ").replace(OTHER, " ")) if stem(word) != stem("argument")]


def _most_common(reasons: list[str], having: Counter[str]) -> list[str]:
    """The most frequent stems, each as the word that is written most often for it."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reason in reasons:
        for word in _words(reason):
            written[stem(word)][word] += 1
    order = sorted(having, key=lambda stem: (-having[stem], stem))[:_MOST_WORDS]
    return [written[stem].most_common(1)[0][0] for stem in order]
