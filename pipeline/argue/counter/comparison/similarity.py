"""How similar the sentences of two speeches are, by an encoder or by the words they share; and their best matches."""

from collections import Counter
from typing import Protocol

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Matrix, Vector
from pipeline.text.encoders.sentence_encoder import Encoder


class SentenceSimilarity(Protocol):
    """One row per sentence of the one speech, one column per sentence of the other; 1 for equal sentences."""

    def __call__(self, one: SpeechText, other: SpeechText) -> Matrix: ...


class EncodedSimilarity:
    """The cosine of sentence embeddings; every sentence is embedded once."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._known: dict[SpeechText, Matrix] = {}

    def __call__(self, one: SpeechText, other: SpeechText) -> Matrix:
        if not one.sentences or not other.sentences:
            return np.zeros((len(one.sentences), len(other.sentences)))
        return self._embedded(one) @ self._embedded(other).T

    def _embedded(self, speech: SpeechText) -> Matrix:
        if speech not in self._known:
            self._known[speech] = np.asarray(self.encoder.encode(speech.sentences), dtype=np.float64)
        return self._known[speech]


class SharedWordSimilarity:
    """The share of content words that two sentences have in common, as a cosine."""

    def __call__(self, one: SpeechText, other: SpeechText) -> Matrix:
        ours, theirs = ([Counter(stems) for stems in speech.content_stems] for speech in (one, other))
        return np.array([[_cosine(a, b) for b in theirs] for a in ours]).reshape(len(ours), len(theirs))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[stem] for stem, count in one.items())
    return product / np.sqrt(_square(one) * _square(other)) if product else 0.0


def _square(counts: Counter[str]) -> int:
    return sum(count**2 for count in counts.values())


def covered(similarity: Matrix, weights: Vector | None = None) -> float:
    """The mean of the rows' best matches, weighted if there are weights."""
    best = best_matches(similarity, axis=1)
    if not len(best) or (weights is not None and not weights.any()):
        return 0.0
    return float(np.average(best, weights=weights))


def best_matches(similarity: Matrix, axis: int) -> Vector:
    """The best match of each row or column, none below 0; 0 where there is nothing to match."""
    return np.asarray(similarity.max(axis=axis, initial=0.0))
