"""Speeches as distributions over terms: cosine, tf-idf cosine and the inverse Jensen-Shannon divergence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pipeline.argue.counter.speech_text import Scores, SpeechText
from pipeline.argue.counter.terms import Vocabulary, normalised


class Cosine:
    """The cosine of term frequencies."""

    name = "Cos"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return _cosines(normalised(self.vocabulary.counts([supporting, *candidates])))


class JensenShannon:
    """1 minus the Jensen-Shannon divergence in bits of term frequencies: 1 for equal ones, 0 for disjoint ones."""

    name = "JS"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        frequencies = normalised(self.vocabulary.counts([supporting, *candidates]))
        columns = frequencies[[0]].indices
        one = frequencies[[0]][:, columns].toarray()
        others = frequencies[1:][:, columns].toarray()
        middle = (one + others) / 2
        # A term that only the candidate has is half its frequency in the middle: its part is its frequency, one bit.
        totals = np.asarray(frequencies[1:].sum(axis=1)).ravel()
        divergence = (_bits(one, middle) + _bits(others, middle) + totals - others.sum(axis=1)) / 2
        return np.where((totals > 0) & (len(columns) > 0), 1 - divergence, 0.0)


class TfIdfCosine:
    """The cosine of tf-idf weighted content words. A term nobody had in training weighs as much as the rarest."""

    name = "tf-idf"

    def __init__(self, speeches: Iterable[SpeechText] = ()) -> None:
        documents = [{stem for sentence in speech.content_stems for stem in sentence} for speech in speeches]
        self.documents = len(documents)
        self.document_frequency = Counter(stem for document in documents for stem in document)
        self._weights: dict[SpeechText, dict[str, float]] = {}

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        one = self._weighted(supporting)
        others = [self._weighted(candidate) for candidate in candidates]
        products = [sum(weight * other.get(term, 0.0) for term, weight in one.items()) for other in others]
        return np.array(products, dtype=np.float64)

    def idf(self, stem: str) -> float:
        return float(np.log((1 + self.documents) / (1 + self.document_frequency[stem])) + 1)

    def _weighted(self, speech: SpeechText) -> dict[str, float]:
        """The speech's terms as a unit vector."""
        if speech not in self._weights:
            counts = Counter(stem for sentence in speech.content_stems for stem in sentence)
            weights = {stem: (1 + float(np.log(count))) * self.idf(stem) for stem, count in sorted(counts.items())}
            length = float(np.sqrt(sum(weight**2 for weight in weights.values())))
            self._weights[speech] = {stem: weight / length for stem, weight in weights.items()}
        return self._weights[speech]


def _cosines(matrix: Any) -> Scores:
    """The first row's cosine with each of the others."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    products = (matrix[1:] @ matrix[[0]].T).toarray().ravel()
    norms = lengths[0] * lengths[1:]
    return np.asarray(np.divide(products, norms, out=np.zeros(len(norms)), where=norms > 0))


def _bits(values: Scores, middle: Scores) -> Scores:
    """Each row's relative entropy to its middle, in bits."""
    ratio = np.divide(values, middle, out=np.ones_like(middle), where=(values > 0) & (middle > 0))
    return np.asarray((values * np.log2(ratio)).sum(axis=1))
