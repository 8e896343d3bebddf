"""UKPConvArg1 as released: every vote, and the gold labels, strict pairs and ranks that the authors made of them."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.argue.graph.convarg_xml import read_annotated_pairs
from pipeline.argue.graph.votes import PairVotes, Vote
from pipeline.errors import RostrumError

# A pair by its arguments' ids, which no two topics share; files of one topic are not always called alike.
PairKey = tuple[str, str]


@dataclass(frozen=True)
class Release:
    """The votes, and what the authors made of them and published."""

    voted: tuple[PairVotes, ...]
    gold: dict[PairKey, Vote]
    competence: dict[str, float]
    strict: dict[PairKey, Vote]
    ranks: dict[str, float]


def key_of(pair: PairVotes) -> PairKey:
    return pair.first, pair.second


def read_release(folder: Path) -> Release:
    """The release in a folder, or below it."""
    annotated = list(read_annotated_pairs(_below(folder, "UKPConvArg1-full-XML")))
    return Release(
        voted=tuple(each.votes for each in annotated),
        gold={key_of(each.votes): each.gold for each in annotated if each.gold is not None},
        competence={worker: value for each in annotated for worker, value in each.competence.items()},
        strict=dict(_strict(_below(folder, "UKPConvArg1Strict-CSV"))),
        ranks=dict(_ranks(_below(folder, "UKPConvArg1-Ranking-CSV"))),
    )


def _below(folder: Path, name: str) -> Path:
    found = next((path for path in sorted(folder.rglob(name)) if path.is_dir()), None)
    if found is None:
        raise RostrumError(f"{folder}: has no folder {name}; give the folder of UKPConvArg1's release")
    return found


def _strict(folder: Path) -> Iterator[tuple[PairKey, Vote]]:
    for path, line, row in _rows(folder):
        first, _, second = row[0].partition("_")
        if row[1] not in ("a1", "a2") or not second:
            raise RostrumError(f"{path}: line {line}: not an id of two arguments, and a1 or a2")
        yield (first, second), "a1" if row[1] == "a1" else "a2"


def _ranks(folder: Path) -> Iterator[tuple[str, float]]:
    for path, line, row in _rows(folder):
        try:
            rank = float(row[1])
        except ValueError:
            rank = math.nan
        if not math.isfinite(rank):
            raise RostrumError(f"{path}: line {line}: {row[1]!r} is not a rank; give a number")
        yield row[0], rank


def _rows(folder: Path) -> Iterator[tuple[Path, int, list[str]]]:
    """(file, line, cells) of every tab-separated file; the header is left out. A quotation mark is part of a text."""
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            next(reader, None)
            for row in reader:
                if len(row) < 2:
                    raise RostrumError(f"{path}: line {reader.line_num} has {len(row)} cells; it needs two or more")
                yield path, reader.line_num, row
