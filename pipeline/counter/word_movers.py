"""Similarities of two speeches' sentences, aggregated into one: over the candidate's sentences, then over ours."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from pydantic.dataclasses import dataclass

from pipeline.arrays import Matrix, Vector
from pipeline.counter.texts import SpeechText
from pipeline.counter.transport import SentenceDistances, SpeechWords, speech_words
from pipeline.text.encoders.word_vectors import WordVectors

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


# Sentences' similarity by Word Mover's Distance, aggregated over two speeches.


class MoverSimilarity:
    """e: 1 / (1 + the Word Mover's Distance of two sentences), their stop words left out.

    The largest and smallest distance of a sentence are found by bounds; only averages and products need them all.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
        self.solved = 0
        self._words: dict[SpeechText, SpeechWords] = {}
        self._known: dict[tuple[SpeechText, SpeechText, Aggregation], float] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        missing = [each for each in wanted if (one, other, each) not in self._known]
        if missing:
            values = self._computed(one, other, missing)
            self._known.update({(one, other, each): float(value) for each, value in zip(missing, values, strict=True)})
        return np.array([self._known[one, other, each] for each in wanted])

    def _computed(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        distances = SentenceDistances(self._speech_words(one), self._speech_words(other))
        if 0 in distances.shape:
            return np.zeros(len(wanted))
        if {first for first, _ in wanted} <= {"max", "min"}:
            nearest = {"max": distances.smallest, "min": distances.largest}
            inner = {first: 1 / (1 + nearest[first]()) for first in {first for first, _ in wanted}}
            values = np.array([AGGREGATE[second](inner[first]) for first, second in wanted])
        else:
            values = aggregated_by(1 / (1 + distances.all), wanted)
        self.solved += distances.solved
        return values

    def _speech_words(self, speech: SpeechText) -> SpeechWords:
        if speech not in self._words:
            self._words[speech] = speech_words(speech, self.vectors)
        return self._words[speech]
