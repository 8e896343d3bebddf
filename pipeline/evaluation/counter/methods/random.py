"""random: what chance gets right."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector


class Equal:
    """Scores all candidates alike, so that ties give what chance gives."""

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return np.zeros(len(candidates))


METHOD = CounterMethod(
    "random",
    "chance",
    place=10,
    assigned=True,
    build=lambda taught: Equal(),
)
