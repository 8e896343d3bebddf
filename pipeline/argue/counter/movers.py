"""Word Mover's Distance between the sentences of two speeches: bounds for all pairs, exact only where it can matter."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.counter.speech_text import Scores, SpeechText
from pipeline.text.terms import stop_words, tokens
from pipeline.text.vectors import WordVectors

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpeechWords:
    """The words of a speech that have a vector, and each sentence as a distribution over them, a row a sentence.

    Sentences without such a word are left out.
    """

    vectors: Matrix
    sentences: Matrix

    @cached_property
    def words_of(self) -> list[NDArray[np.intp]]:
        """The words of each sentence."""
        return [np.flatnonzero(row) for row in self.sentences]

    @cached_property
    def weights_of(self) -> list[Matrix]:
        """Their shares in the sentence."""
        return [row[words] for row, words in zip(self.sentences, self.words_of, strict=True)]


def speech_words(speech: SpeechText, vectors: WordVectors) -> SpeechWords:
    stop = stop_words()
    sentences = [[word for word in tokens(text) if word not in stop] for text in speech.sentences]
    known, found = vectors.matrix(sorted({word for sentence in sentences for word in sentence}))
    column = {word: index for index, word in enumerate(known)}
    rows = []
    for sentence in sentences:
        counts = Counter(column[word] for word in sentence if word in column)
        if counts:
            row = np.zeros(len(known))
            row[list(counts)] = list(counts.values())
            rows.append(row / row.sum())
    return SpeechWords(np.asarray(found, dtype=np.float64), np.array(rows).reshape(len(rows), len(known)))


class SentenceDistances:
    """Word Mover's Distances of every sentence of one speech to every sentence of another."""

    def __init__(self, one: SpeechWords, other: SpeechWords) -> None:
        self._one, self._other = one, other
        self._words = _euclidean(one.vectors, other.vectors)
        self.shape = len(one.sentences), len(other.sentences)
        self.solved = 0
        self._exact: dict[tuple[int, int], float] = {}

    @cached_property
    def lower(self) -> Matrix:
        """No distance is smaller: each word moves to the nearest word, whether or not there is room for it there."""
        to_other = self._one.sentences @ _nearest(self._words, self._other.words_of)
        to_one = self._other.sentences @ _nearest(self._words.T, self._one.words_of)
        return np.maximum(to_other, to_one.T)

    @cached_property
    def upper(self) -> Matrix:
        """No distance is larger: each word is spread over all words of the other sentence alike."""
        return np.asarray(self._one.sentences @ self._words @ self._other.sentences.T)

    def exact(self, row: int, column: int) -> float:
        if (row, column) not in self._exact:
            from pipeline.argue.counter.transport import transport_cost

            one, other = self._one, self._other
            cost = self._words[one.words_of[row]][:, other.words_of[column]]
            self._exact[row, column] = transport_cost(one.weights_of[row], other.weights_of[column], cost)
            self.solved += 1
        return self._exact[row, column]

    def all(self) -> Matrix:
        """Every distance."""
        rows, columns = self.shape
        return np.array([[self.exact(row, column) for column in range(columns)] for row in range(rows)])

    def smallest(self) -> Matrix:
        """The smallest distance of each sentence; a pair whose lower bound is above the smallest is not solved."""
        return np.array([self._smallest(row) for row in range(self.shape[0])])

    def largest(self) -> Matrix:
        """The largest distance of each sentence; a pair whose upper bound is below the largest is not solved."""
        return np.array([self._largest(row) for row in range(self.shape[0])])

    def _smallest(self, row: int) -> float:
        best = np.inf
        for column in np.argsort(self.lower[row], kind="stable"):
            if self.lower[row, column] >= best:
                break
            best = min(best, self.exact(row, int(column)))
        return best

    def _largest(self, row: int) -> float:
        best = -np.inf
        for column in np.argsort(-self.upper[row], kind="stable"):
            if self.upper[row, column] <= best:
                break
            best = max(best, self.exact(row, int(column)))
        return best


def _euclidean(one: Matrix, other: Matrix) -> Matrix:
    squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :] - 2 * one @ other.T
    # rounding leaves a little of the distance of a word to itself
    return np.where(squares > 1e-9, np.sqrt(np.maximum(squares, 0.0)), 0.0)


def _nearest(distances: Matrix, sentences: Sequence[NDArray[np.intp]]) -> Scores:
    """Of each word the distance to the nearest word of each sentence."""
    if not sentences:
        return np.zeros((len(distances), 0))
    starts = np.cumsum([0, *map(len, sentences[:-1])])
    return np.asarray(np.minimum.reduceat(distances[:, np.concatenate(sentences)], starts, axis=1))
