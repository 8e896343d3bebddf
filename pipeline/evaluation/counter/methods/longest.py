"""longest: the longer the candidate, the better."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector


class Longest:
    """The number of a candidate's words."""

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return np.array([sum(map(len, candidate.stems)) for candidate in candidates], dtype=np.float64)


METHOD = CounterMethod(
    "longest",
    "a longer speech",
    place=20,
    build=lambda taught: Longest(),
)
