"""The similarity of two speeches' sentences: by a sentence encoder, or without one by the words they share."""

from collections import Counter
from typing import Protocol

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Matrix
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
