"""Word Mover's Distance between the sentences of two speeches: bounds for all pairs, exact only where it can matter."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Floats, Integers, Matrix
from pipeline.text.encoders.word_vectors import WordVectors
from pipeline.text.terms import stop_words, tokens

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


def speech_words(speech: SpeechText, vectors: WordVectors) -> SpeechWords:
    """The words of a speech that have a vector, stop words left out."""
    stop = stop_words()
    sentences = [[word for word in tokens(text) if word not in stop] for text in speech.sentences]
    known, found = vectors.matrix(sorted({word for sentence in sentences for word in sentence}))
    column = {word: index for index, word in enumerate(known)}
    counts = [Counter(column[word] for word in sentence if word in column) for sentence in sentences]
    bags = [sorted(count.items()) for count in counts if count]
    starts = np.cumsum([0, *map(len, bags)], dtype=np.int64)
    words = np.array([word for bag in bags for word, _ in bag], dtype=np.int64)
    weights = np.array([count / sum(dict(bag).values()) for bag in bags for _, count in bag], dtype=np.float64)
    return SpeechWords(np.asarray(found, dtype=np.float64), (starts, words, weights))


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
        from pipeline.argue.counter.word_movers.transport import all_costs  # it imports a compiler

        self.solved += self.shape[0] * self.shape[1]
        return np.asarray(all_costs(self._words, self._one.bags, self._other.bags))

    def smallest(self) -> Matrix:
        """The smallest distance of each sentence; a pair whose lower bound is above the smallest is not solved."""
        return self._extreme(self.lower, 1)

    def largest(self) -> Matrix:
        """The largest distance of each sentence; a pair whose upper bound is below the largest is not solved."""
        return self._extreme(self.upper, -1)

    def _extreme(self, bounds: Matrix, sign: int) -> Matrix:
        from pipeline.argue.counter.word_movers.transport import extreme_costs

        found, solved = extreme_costs(self._words, self._one.bags, self._other.bags, bounds, sign)
        self.solved += solved
        return np.asarray(found)


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
