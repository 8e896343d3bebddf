"""ngrs: word sequences without a stop word that a supporting speech shares with one candidate and with no other."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText, lone_ngrams


def total_length(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The total length, in words, of the n-grams that only this candidate shares with the supporting speech.

    As published: words that stand next to one another in the speech, none of which is a stop word.
    """
    found = lone_ngrams(supporting.content_runs, [candidate.content_runs for candidate in candidates])
    return np.array([sum(map(len, ngrams)) for ngrams in found], dtype=np.float64)


METHOD = CounterMethod(
    "ngrs",
    "phrases only these two share",
    place=100,
    sees="candidates",
    assigned=True,
    build=lambda given: total_length,
)
