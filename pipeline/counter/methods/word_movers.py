"""SD-e: simultaneous similarity and dissimilarity of sentences (Wachsmuth et al. 2018), by word embeddings."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.counter.method import CounterMethod, Given
from pipeline.counter.texts import SpeechText
from pipeline.counter.word_movers import AGGREGATIONS, Aggregation, Configuration


class SpeechSimilarity(Protocol):
    """The similarity of two speeches by each of the wanted aggregations."""

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector: ...


class SimilarityDissimilarity:
    """The sum of some similarities of two speeches less a share of the same, aggregated in another way."""

    def __init__(self, parts: Sequence[SpeechSimilarity], configuration: Configuration | None = None) -> None:
        self.parts = parts
        self.configuration = configuration or Configuration()

    def __call__(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        config = self.configuration
        wanted = (config.similarity, config.dissimilarity) if config.alpha < 1 else (config.similarity,) * 2
        table = self.table(supporting, candidates, wanted)
        return np.asarray(config.alpha * table[:, 0] - (1 - config.alpha) * table[:, 1])

    def table(
        self, supporting: SpeechText, candidates: Sequence[SpeechText], wanted: Sequence[Aggregation] = AGGREGATIONS
    ) -> Matrix:
        """The similarities' sum for each candidate (row) and aggregation (column)."""
        rows = np.zeros((len(candidates), len(wanted)))
        for row, candidate in zip(rows, candidates, strict=True):
            for part in self.parts:
                row += part.aggregated(supporting, candidate, wanted)
        return rows


def _build(given: Given) -> SimilarityDissimilarity | None:
    if given.movers is None or given.configuration is None:
        return None
    return SimilarityDissimilarity([given.movers], given.configuration)


METHODS = (
    CounterMethod(
        "SD-e",
        "similar by word vectors",
        order=70,
        assigned=True,
        build=_build,
        needs="needs word vectors: --vectors",
    ),
)
