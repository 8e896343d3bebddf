"""JS: 1 minus the Jensen-Shannon divergence of term frequencies."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText, Vocabulary, normalised


def jensen_shannon(vocabulary: Vocabulary, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """1 minus the Jensen-Shannon divergence in bits of term frequencies: 1 for equal ones, 0 for disjoint ones."""
    frequencies = normalised(vocabulary.counts([supporting, *candidates]))
    columns = frequencies[[0]].indices
    one = frequencies[[0]][:, columns].toarray()
    others = frequencies[1:][:, columns].toarray()
    middle = (one + others) / 2
    # A term that only the candidate has is half its frequency in the middle: its part is its frequency, one bit.
    totals = np.asarray(frequencies[1:].sum(axis=1)).ravel()
    divergence = (_bits(one, middle) + _bits(others, middle) + totals - others.sum(axis=1)) / 2
    return np.where((totals > 0) & (len(columns) > 0), 1 - divergence, 0.0)


def _bits(values: Matrix, middle: Matrix) -> Vector:
    """Each row's relative entropy to its middle, in bits."""
    ratio = np.divide(values, middle, out=np.ones_like(middle), where=(values > 0) & (middle > 0))
    return np.asarray((values * np.log2(ratio)).sum(axis=1))


METHOD = CounterMethod(
    "JS",
    "similar words",
    place=50,
    weight=1.0,
    assigned=True,
    build=lambda given: partial(jensen_shannon, given.vocabularies.all_words),
)
