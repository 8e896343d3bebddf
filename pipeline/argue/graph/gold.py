"""Gold labels and weights of pairs, from the votes on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.graph.build import GoldPair, pair_weight
from pipeline.argue.graph.mace import UNDECIDED, Votes, mace
from pipeline.argue.graph.votes import VOTES, PairVotes, Vote
from pipeline.errors import RostrumError


@dataclass(frozen=True)
class Gold:
    """The pairs of every topic whose label is certain enough, and each worker's competence."""

    pairs: dict[str, list[GoldPair]]
    competence: dict[str, float]
    undecided: int


def gold(voted: Sequence[PairVotes], *, keep: float = 0.95, restarts: int = 50, seed: int = 0) -> Gold:
    """Labels by MACE over all topics at once; of the pairs the share `keep` with the most certain labels is kept."""
    if not 0 < keep <= 1:
        raise RostrumError(f"a share of {keep:g} of the pairs to keep: give a number above 0, at most 1, such as 0.95")
    workers = sorted({worker for pair in voted for worker in pair.votes})
    number = {worker: i for i, worker in enumerate(workers)}
    triples = [(i, number[who], VOTES.index(vote)) for i, pair in enumerate(voted) for who, vote in pair.votes.items()]
    found = mace(Votes.of(triples, len(voted), len(workers), len(VOTES)), restarts=restarts, seed=seed)
    competence = {worker: float(found.competence[number[worker]]) for worker in workers}
    labels = found.labels(keep)
    pairs: dict[str, list[GoldPair]] = {pair.topic: [] for pair in voted}
    for pair, label in zip(voted, labels, strict=True):
        if label != UNDECIDED:
            pairs[pair.topic].append(gold_pair(pair, VOTES[label], competence))
    return Gold(pairs, competence, int(np.sum(labels == UNDECIDED)))


def gold_pair(pair: PairVotes, label: Vote, competence: Mapping[str, float]) -> GoldPair:
    """The pair with this label, weighted by the competence of those who voted for it and against it."""
    behind = [competence[worker] for worker, vote in pair.votes.items() if vote == label]
    against = [competence[worker] for worker, vote in pair.votes.items() if vote != label]
    return GoldPair(pair.first, pair.second, label, pair_weight(behind, against))
