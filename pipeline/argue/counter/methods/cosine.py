"""Cos: the cosine of term frequencies."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.argue.counter.texts.vocabulary import Vocabulary, normalised
from pipeline.arrays import Vector


class Cosine:
    """The cosine of term frequencies."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return _cosines(normalised(self.vocabulary.counts([supporting, *candidates])))


def _cosines(matrix: Any) -> Vector:
    """The first row's cosine with each of the others."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    products = (matrix[1:] @ matrix[[0]].T).toarray().ravel()
    norms = lengths[0] * lengths[1:]
    return np.asarray(np.divide(products, norms, out=np.zeros(len(norms)), where=norms > 0))


METHOD = CounterMethod(
    "Cos",
    "similar words",
    place=40,
    build=lambda given: Cosine(given.vocabularies.all_words),
)
