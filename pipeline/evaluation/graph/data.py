"""UKPConvArg1 as released: every vote, and the gold labels, strict pairs and ranks that the authors made of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.argue.graph.convarg_xml import read_annotated_pairs
from pipeline.argue.graph.votes import PairVotes, Vote
from pipeline.errors import RostrumError
from pipeline.evaluation.csv_rows import read_ranks, read_tab_separated

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
    ranks = sorted(_below(folder, "UKPConvArg1-Ranking-CSV").glob("*.csv"))
    annotated = list(read_annotated_pairs(_below(folder, "UKPConvArg1-full-XML")))
    return Release(
        voted=tuple(each.votes for each in annotated),
        gold={key_of(each.votes): each.gold for each in annotated if each.gold is not None},
        competence={worker: value for each in annotated for worker, value in each.competence.items()},
        strict=dict(_strict(_below(folder, "UKPConvArg1Strict-CSV"))),
        ranks={argument: rank for path in ranks for argument, rank in read_ranks(path, "id")},
    )


def _below(folder: Path, name: str) -> Path:
    found = next((path for path in sorted(folder.rglob(name)) if path.is_dir()), None)
    if found is None:
        raise RostrumError(f"{folder}: has no folder {name}; give the folder of UKPConvArg1's release")
    return found


def _strict(folder: Path) -> Iterator[tuple[PairKey, Vote]]:
    for path in sorted(folder.glob("*.csv")):
        for line, row in read_tab_separated(path, ("id", "label")):
            first, _, second = row["id"].partition("_")
            if row["label"] not in ("a1", "a2") or not second:
                raise RostrumError(f"{path}: line {line}: not an id of two arguments, and a1 or a2")
            yield (first, second), "a1" if row["label"] == "a1" else "a2"
