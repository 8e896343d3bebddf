"""Votes on pairs of arguments: a CSV with a line a vote, and the columns `argument1`, `argument2`, `worker`, `vote`.

A vote is `a1` (the first argument is more convincing), `a2` or `equal`. A column `topic` tells graphs apart; the two
arguments of a pair may stand in any order, vote by vote, but not always the better one first: a worker who votes `a1`
everywhere would look like one who votes without reading.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.errors import RostrumError

Vote = Literal["a1", "a2", "equal"]
VOTES: tuple[Vote, ...] = ("a1", "a2", "equal")
_COLUMNS = ("argument1", "argument2", "worker", "vote")
_SWAPPED: dict[Vote, Vote] = {"a1": "a2", "a2": "a1", "equal": "equal"}


@dataclass(frozen=True)
class PairVotes:
    """One pair of arguments and what each worker said of it."""

    topic: str
    first: str
    second: str
    votes: dict[str, Vote]


def read_votes(path: Path) -> list[PairVotes]:
    """The pairs in the file's order, each with all its votes."""
    pairs: dict[tuple[str, str, str], PairVotes] = {}
    for line, topic, first, second, worker, vote in _lines(path):
        if (topic, second, first) in pairs:
            first, second, vote = second, first, _SWAPPED[vote]
        pair = pairs.setdefault((topic, first, second), PairVotes(topic, first, second, {}))
        if worker in pair.votes:
            raise RostrumError(f"{path}: line {line}: {worker} has voted on {first} and {second} before; one vote each")
        pair.votes[worker] = vote
    if not pairs:
        raise RostrumError(f"{path}: no votes in it")
    return list(pairs.values())


def _lines(path: Path) -> Iterator[tuple[int, str, str, str, str, Vote]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
            if missing:
                raise RostrumError(f"{path}: no column {missing[0]!r}; it needs {', '.join(_COLUMNS)}")
            for row in reader:
                yield reader.line_num, *_checked(path, reader.line_num, row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RostrumError(f"{path}: cannot read the votes: {error}") from error


def _checked(path: Path, line: int, row: dict[str, str | None]) -> tuple[str, str, str, str, Vote]:
    first, second, worker, vote = ((row[column] or "").strip() for column in _COLUMNS)
    if not (first and second and worker):
        raise RostrumError(f"{path}: line {line}: an argument or the worker is missing")
    if first == second:
        raise RostrumError(f"{path}: line {line}: {first} is compared to itself")
    if vote not in VOTES:
        raise RostrumError(f"{path}: line {line}: the vote is {vote!r}; it can be {', '.join(VOTES)}")
    return (row.get("topic") or "").strip(), first, second, worker, vote
