"""order: whether the candidate takes up the supporting speech's points in their order."""

import numpy as np

from pipeline.arrays import Matrix
from pipeline.counter.method import CounterMethod, by_pair


def chain_weight(similarity: Matrix) -> float:
    """The weight of the best chain of sentences that match, which goes forward in both speeches, over its rows' number.

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
    build=lambda given: by_pair(lambda one, other: chain_weight(given.relations.similarity(one, other))),
)
