"""MACE: the true labels behind people's votes, and how far each person can be trusted.

Hovy et al., Learning Whom to Trust with MACE (2013): a worker either knows the true label and gives it, or gives a
label of their own habit. Each worker's share of knowing (competence), their habits and the true labels are found
together, by EM.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Integers
from pipeline.errors import RostrumError
from pipeline.graph.build import GoldPair, pair_weight
from pipeline.graph.votes import VOTES, PairVotes, Vote

UNDECIDED = -1
# What the authors' own program adds to each count, to be divided by the number of labels.
_SMOOTHING = 0.01
_INITIAL_NOISE = 0.5
_CONVERGED = 1e-7
_MOST_ITERATIONS = 500


@dataclass(frozen=True)
class Votes:
    """Three arrays with one entry per vote: the item voted on, who voted, and the label they gave, each by number."""

    items: Integers
    workers: Integers
    labels: Integers
    n_items: int
    n_workers: int
    n_labels: int

    @classmethod
    def from_triples(
        cls, votes: Sequence[tuple[int, int, int]], n_items: int, n_workers: int, n_labels: int
    ) -> "Votes":
        items, workers, labels = np.array(votes, dtype=np.int64).reshape(-1, 3).T
        return cls(items, workers, labels, n_items, n_workers, n_labels)


@dataclass(frozen=True)
class Mace:
    """The result of MACE: the probability of each label of each item, and each worker's competence."""

    probabilities: Floats
    competence: Floats
    log_likelihood: float

    def entropies(self) -> Floats:
        """The entropy of each item's label distribution."""
        shares = self.probabilities
        return np.asarray(-np.sum(shares * np.log(np.where(shares > 0, shares, 1.0)), axis=1))

    def labels(self, keep: float = 1.0) -> Integers:
        """The most probable label of each item; UNDECIDED outside of the `keep` fraction of the most certain items."""
        best: Integers = self.probabilities.argmax(axis=1)
        entropies = self.entropies()
        if not len(entropies):
            return best
        threshold = np.sort(entropies)[min(int(len(entropies) * keep), len(entropies) - 1)]
        return np.where(entropies <= threshold, best, UNDECIDED)


def run_mace(votes: Votes, *, restarts: int = 50, seed: int = 0) -> Mace:
    """The likeliest of several runs of EM, each from a random start."""
    random = np.random.default_rng(seed)
    runs = (_expectation_maximisation(votes, random) for _ in range(restarts))
    return max(runs, key=lambda run: run.log_likelihood)


def _expectation_maximisation(votes: Votes, random: np.random.Generator) -> Mace:
    knowing = _normalised(1.0 + _INITIAL_NOISE * random.random((votes.n_workers, 2)))[:, 1]
    habits = _normalised(1.0 + _INITIAL_NOISE * random.random((votes.n_workers, votes.n_labels)))
    before = -np.inf
    for _ in range(_MOST_ITERATIONS):
        probabilities, known, log_likelihood = _expectation(votes, knowing, habits)
        if log_likelihood - before < _CONVERGED * abs(log_likelihood):
            break
        before = log_likelihood
        knowing, habits = _maximisation(votes, known)
    probabilities, _, log_likelihood = _expectation(votes, knowing, habits)
    return Mace(probabilities, knowing, log_likelihood)


def _expectation(votes: Votes, knowing: Floats, habits: Floats) -> tuple[Floats, Floats, float]:
    """E step: (label distribution of each item, probability that each vote is knowledge, log likelihood)."""
    competence = knowing[votes.workers]
    guessed = (1.0 - competence) * habits[votes.workers, votes.labels]
    logs = np.full((votes.n_items, votes.n_labels), -np.log(votes.n_labels))
    logs += np.bincount(votes.items, np.log(guessed), votes.n_items)[:, None]
    np.add.at(logs, (votes.items, votes.labels), np.log1p(competence / guessed))
    largest = logs.max(axis=1, keepdims=True)
    sums = np.exp(logs - largest).sum(axis=1, keepdims=True)
    probabilities = np.exp(logs - largest) / sums
    known = probabilities[votes.items, votes.labels] * competence / (guessed + competence)
    return probabilities, known, float(np.sum(largest + np.log(sums)))


def _maximisation(votes: Votes, known: Floats) -> tuple[Floats, Floats]:
    """M step: (each worker's competence, each worker's habits)."""
    smoothing = _SMOOTHING / votes.n_labels
    counts = np.stack(
        [np.bincount(votes.workers, weights, votes.n_workers) for weights in (1.0 - known, known)], axis=1
    )
    habits = np.zeros((votes.n_workers, votes.n_labels))
    np.add.at(habits, (votes.workers, votes.labels), 1.0 - known)
    return _normalised(counts + smoothing)[:, 1], _normalised(habits + smoothing)


def _normalised(counts: NDArray[Any]) -> Floats:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True), dtype=np.float64)


# Gold labels and weights of pairs, from the votes on them.


@dataclass(frozen=True)
class Gold:
    """The pairs of every topic whose label is certain enough, and each worker's competence."""

    pairs: dict[str, list[GoldPair]]
    competence: dict[str, float]
    undecided: int


def gold(voted: Sequence[PairVotes], *, keep: float = 0.95, restarts: int = 50, seed: int = 0) -> Gold:
    """Labels by MACE over all topics at once. Keep the `keep` fraction of pairs that MACE is most certain of."""
    if not 0 < keep <= 1:
        raise RostrumError(f"a share of {keep:g} of the pairs to keep: give a number above 0, at most 1, such as 0.95")
    workers = sorted({worker for pair in voted for worker in pair.votes})
    number = {worker: i for i, worker in enumerate(workers)}
    triples = [(i, number[who], VOTES.index(vote)) for i, pair in enumerate(voted) for who, vote in pair.votes.items()]
    result = run_mace(Votes.from_triples(triples, len(voted), len(workers), len(VOTES)), restarts=restarts, seed=seed)
    competence = {worker: float(result.competence[number[worker]]) for worker in workers}
    labels = result.labels(keep)
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
