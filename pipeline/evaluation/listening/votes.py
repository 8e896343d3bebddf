"""Who heard which argument in which speech: a file of votes, and labels that are made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.argue.graph.mace import Votes, mace
from pipeline.arrays import Integers
from pipeline.errors import RostrumError
from pipeline.evaluation.csv_rows import read_rows
from pipeline.grouping import grouped

# A speech and an argument.
PairKey = tuple[str, str]


@dataclass(frozen=True)
class AnnotatorVote:
    """One person's vote on one pair; the annotator is empty where the file has one label per pair."""

    pair: PairKey
    annotator: str
    mentioned: bool


@dataclass(frozen=True)
class VotedLabel:
    """The label of a pair by the majority of its votes, and by MACE. A tie is no mention."""

    majority: bool
    mace: bool


def read_votes(path: Path) -> list[AnnotatorVote]:
    """The votes in a CSV file with the columns speech, argument, mentioned and, where people differ, annotator."""
    votes: dict[tuple[PairKey, str], AnnotatorVote] = {}
    for line, row in read_rows(path, ("speech", "argument", "mentioned"), optional=("annotator",)):
        if row["mentioned"] not in ("0", "1"):
            raise RostrumError(f"{path}:{line}: mentioned must be 0 or 1")
        vote = AnnotatorVote((row["speech"], row["argument"]), row["annotator"], row["mentioned"] == "1")
        if (vote.pair, vote.annotator) in votes:
            who = vote.annotator or "somebody; name who in a column 'annotator'"
            raise RostrumError(f"{path}:{line}: {' and '.join(vote.pair)} have a vote already by {who}")
        votes[vote.pair, vote.annotator] = vote
    return list(votes.values())


def by_annotator(votes: Sequence[AnnotatorVote]) -> list[list[bool | None]]:
    """One row per annotator, one column per pair; None for a pair that the annotator did not see."""
    known = {(vote.annotator, vote.pair): vote.mentioned for vote in votes}
    pairs = sorted({vote.pair for vote in votes})
    return [[known.get((who, pair)) for pair in pairs] for who in sorted({vote.annotator for vote in votes})]


def vote_counts(votes: Sequence[AnnotatorVote]) -> Integers:
    """(yes, no) of each pair."""
    cast = grouped((vote.pair, vote.mentioned) for vote in votes).values()
    return np.array([(each.count(True), each.count(False)) for each in cast], dtype=np.int64).reshape(-1, 2)


def majority_and_mace(votes: Sequence[AnnotatorVote]) -> dict[PairKey, VotedLabel]:
    """Labels made of votes. With one label per pair both are that label."""
    pairs = {pair: place for place, pair in enumerate(dict.fromkeys(vote.pair for vote in votes))}
    if not pairs:
        return {}
    people = {who: place for place, who in enumerate(dict.fromkeys(vote.annotator for vote in votes))}
    triples = [(pairs[vote.pair], people[vote.annotator], int(vote.mentioned)) for vote in votes]
    counts = vote_counts(votes)
    majority = counts[:, 0] > counts[:, 1]
    found = mace(Votes.of(triples, len(pairs), len(people), 2)).labels() if len(people) > 1 else majority
    return {pair: VotedLabel(bool(majority[place]), bool(found[place])) for pair, place in pairs.items()}
