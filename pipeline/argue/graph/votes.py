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
