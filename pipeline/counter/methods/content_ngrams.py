"""content ngrs: as ngrs, but of the words that are left once stop words are deleted."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import Ngram, SpeechText, lone_ngrams


def total_length(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The total length, in words, of the n-grams that only this candidate shares with the supporting speech.

    Stop words are deleted first, so that 'a phone is built to be picked up' has 'phone built picked'.
    """
    return np.array([sum(map(len, found)) for found in content_ngrams(supporting, candidates)], dtype=np.float64)


def content_ngrams(supporting: SpeechText, candidates: Sequence[SpeechText]) -> list[set[Ngram]]:
    """The n-grams that each candidate alone shares with the supporting speech."""
    return lone_ngrams(supporting.content_stems, [candidate.content_stems for candidate in candidates])


METHOD = CounterMethod(
    "content ngrs",
    "content words only these two share in a row",
    place=105,
    sees="candidates",
    weight=1.0,
    assigned=True,
    build=lambda given: total_length,
)
