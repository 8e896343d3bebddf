"""Similarity of two speeches by the Word Mover's Distance of their sentences, aggregated over both speeches.

The distance is exact: the least cost of moving the words of one sentence onto those of another, where moving a word
costs the distance of their vectors. Bounds show which pairs of sentences need not be solved.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydantic import dataclasses as checked

from pipeline.arrays import Floats, Integers, Matrix, Vector
from pipeline.counter.texts import SpeechText
from pipeline.text.encoders.word_vectors import WordVectors
from pipeline.text.terms import stop_words, tokens

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


@checked.dataclass(frozen=True)
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


# Distances of sentences.

# Sentences one after the other: where each begins, then for all of them their words and the words' shares.
Bags = tuple[Integers, Integers, Floats]


@dataclass(frozen=True, eq=False)
class SpeechWords:
    """The vectors of a speech's words, and its sentences as bags of them; sentences without such a word are left out.

    `bags` has where each sentence begins, the words of all sentences, and the words' shares in their sentence.
    """

    vectors: Matrix
    bags: Bags

    def __len__(self) -> int:
        return len(self.bags[0]) - 1

    @cached_property
    def shares(self) -> Matrix:
        """The sentences as distributions over the words, one row per sentence."""
        starts, words, weights = self.bags
        rows = np.zeros((len(self), len(self.vectors)))
        rows[np.repeat(np.arange(len(self)), np.diff(starts)), words] = weights
        return rows


class MoverSimilarity:
    """e: 1 / (1 + the Word Mover's Distance of two sentences), their stop words left out.

    The largest and smallest distance of a sentence follow from bounds; only averages and products need them all.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
        self.solved = 0
        self._words: dict[SpeechText, SpeechWords] = {}
        self._known: dict[tuple[SpeechText, SpeechText, Aggregation], float] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        missing = [kind for kind in wanted if (one, other, kind) not in self._known]
        if missing:
            values = self._computed(one, other, missing)
            self._known.update({(one, other, kind): float(value) for kind, value in zip(missing, values, strict=True)})
        return np.array([self._known[one, other, kind] for kind in wanted])

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


def speech_words(speech: SpeechText, vectors: WordVectors) -> SpeechWords:
    """The words of a speech that have a vector, stop words left out."""
    stop = stop_words()
    sentences = [[word for word in tokens(text) if word not in stop] for text in speech.sentences]
    known, rows = vectors.matrix(sorted({word for sentence in sentences for word in sentence}))
    column = {word: index for index, word in enumerate(known)}
    counts = [Counter(column[word] for word in sentence if word in column) for sentence in sentences]
    bags = [sorted(count.items()) for count in counts if count]
    starts = np.cumsum([0, *map(len, bags)], dtype=np.int64)
    words = np.array([word for bag in bags for word, _ in bag], dtype=np.int64)
    weights = np.array([count / sum(dict(bag).values()) for bag in bags for _, count in bag], dtype=np.float64)
    return SpeechWords(np.asarray(rows, dtype=np.float64), (starts, words, weights))


class SentenceDistances:
    """Word Mover's Distances of every sentence of one speech to every sentence of another."""

    def __init__(self, one: SpeechWords, other: SpeechWords) -> None:
        self._one, self._other = one, other
        self._words = _euclidean(one.vectors, other.vectors)
        self.shape = len(one), len(other)
        self.solved = 0

    @cached_property
    def lower(self) -> Matrix:
        """No distance is smaller: each word moves to the nearest word, whether or not there is room for it there."""
        to_other = self._one.shares @ _nearest(self._words, self._other.bags)
        to_one = self._other.shares @ _nearest(self._words.T, self._one.bags)
        return np.asarray(np.maximum(to_other, to_one.T))

    @cached_property
    def upper(self) -> Matrix:
        """No distance is larger: each word is spread over all words of the other sentence alike."""
        return np.asarray(self._one.shares @ self._words @ self._other.shares.T)

    @cached_property
    def all(self) -> Matrix:
        """Every distance."""
        from pipeline.counter.transport import all_costs

        self.solved += self.shape[0] * self.shape[1]
        return np.asarray(all_costs(self._words, self._one.bags, self._other.bags))

    def smallest(self) -> Matrix:
        """The smallest distance of each sentence; a pair whose lower bound is above the smallest is not solved."""
        return self._extreme(self.lower, 1)

    def largest(self) -> Matrix:
        """The largest distance of each sentence; a pair whose upper bound is below the largest is not solved."""
        return self._extreme(self.upper, -1)

    def _extreme(self, bounds: Matrix, sign: int) -> Matrix:
        from pipeline.counter.transport import extreme_costs

        costs, solved = extreme_costs(self._words, self._one.bags, self._other.bags, bounds, sign)
        self.solved += solved
        return np.asarray(costs)


def _euclidean(one: Matrix, other: Matrix) -> Matrix:
    squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :] - 2 * one @ other.T
    # rounding leaves a little of the distance of a word to itself
    return np.where(squares > 1e-9, np.sqrt(np.maximum(squares, 0.0)), 0.0)


def _nearest(distances: Matrix, bags: Bags) -> Matrix:
    """The distance of each word (row) to the nearest word of each sentence (column)."""
    starts, words, _ = bags
    if len(starts) == 1:
        return np.zeros((len(distances), 0))
    return np.asarray(np.minimum.reduceat(distances[:, words], starts[:-1], axis=1))
