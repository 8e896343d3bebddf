"""order: whether the candidate takes up the supporting speech's points in their order."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.comparison.matches import each_candidate
from pipeline.argue.counter.comparison.similarity import SentenceSimilarity
from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Matrix, Vector


class Order:
    """The heaviest chain of matched sentences that goes forward in both speeches, a sentence's mean share of it."""

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return each_candidate(candidates, lambda candidate: chain_weight(self.similarity(supporting, candidate)))


def chain_weight(similarity: Matrix) -> float:
    """The weight of the best chain of pairs that goes forward in both speeches, over the number of its rows.

    Only what is above the mean similarity of the two speeches counts.
    """
    if not similarity.size:
        return 0.0
    above = np.maximum(similarity - similarity.mean(), 0.0)
    best = np.zeros(similarity.shape[1] + 1)
    for row in above:
        best[1:] = np.maximum.accumulate(np.maximum(best[1:], best[:-1] + row))
    return float(best[-1] / len(similarity))


METHOD = CounterMethod(
    "order",
    "meets its points in their order",
    place=160,
    weight=1.0,
    build=lambda given: Order(given.relations.similarity),
)
