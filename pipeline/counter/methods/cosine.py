"""Cos: the cosine of term frequencies."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText, Vocabulary, normalised


def cosine(vocabulary: Vocabulary, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The cosine of term frequencies."""
    matrix = normalised(vocabulary.counts([supporting, *candidates]))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    products = (matrix[1:] @ matrix[[0]].T).toarray().ravel()
    norms = lengths[0] * lengths[1:]
    return np.asarray(np.divide(products, norms, out=np.zeros(len(norms)), where=norms > 0))


METHOD = CounterMethod(
    "Cos",
    "similar words",
    place=40,
    build=lambda given: partial(cosine, given.vocabularies.all_words),
)
