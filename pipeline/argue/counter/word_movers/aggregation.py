"""Similarities of two speeches' sentences, aggregated into one: over the candidate's sentences, then over ours."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from pydantic.dataclasses import dataclass

from pipeline.arrays import Matrix, Vector

# A function over the candidate's sentences, and one over the supporting speech's.
Aggregation = tuple[str, str]

# The product of hundreds of similarities is zero in floating point. The mean of their logarithms has the same order for
# speeches of one length, and does not put long ones at a disadvantage.
AGGREGATE: dict[str, Callable[[Matrix], Matrix]] = {
    "max": lambda values: np.asarray(values.max(axis=-1)),
    "min": lambda values: np.asarray(values.min(axis=-1)),
    "average": lambda values: np.asarray(values.mean(axis=-1)),
    "product": lambda values: np.asarray(np.exp(np.log(values).mean(axis=-1))),
}
AGGREGATIONS: tuple[Aggregation, ...] = tuple(itertools.product(AGGREGATE, AGGREGATE))


@dataclass(frozen=True)
class Configuration:
    """score = alpha * sim - (1 - alpha) * dissim; each is (f, g): f over the candidate's sentences, g over ours."""

    similarity: Aggregation = ("max", "average")
    dissimilarity: Aggregation = ("average", "average")
    alpha: float = 0.9

    def __str__(self) -> str:
        sim, dissim = "/".join(self.similarity), "/".join(self.dissimilarity)
        return f"sim {sim}" + (f", dissim {dissim}, alpha {self.alpha:g}" if self.alpha < 1 else "")


def aggregated_by(values: Matrix, wanted: Sequence[Aggregation]) -> Vector:
    """Each of the wanted aggregations of a matrix, one row per sentence of ours and one column per candidate's."""
    inner = {first: AGGREGATE[first](values) for first in {first for first, _ in wanted}}
    return np.array([AGGREGATE[second](inner[first]) for first, second in wanted])
