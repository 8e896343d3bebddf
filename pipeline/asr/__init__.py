"""Recognisers: speech in, words with times out. One file per recogniser behind one Protocol."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.records import Segment, Word

Samples = NDArray[np.float32]
Stretch = tuple[float, float]
# Samples from start to end seconds of the recording: a recogniser asks for what it is about to decode, no more.
ReadSamples = Callable[[float, float], Samples]


class Recognised(NamedTuple):
    """What a recogniser heard. Times count from the beginning of the recording."""

    words: tuple[Word, ...]
    segments: tuple[Segment, ...]
    language: str


class Recogniser(Protocol):
    """Turns the given stretches of a recording into words; what lies between them is not listened to."""

    name: str
    device: str

    def transcribe(self, read: ReadSamples, stretches: Sequence[Stretch], options: Any) -> Recognised: ...


def windows(stretches: Sequence[Stretch], max_pause: float, length: float) -> list[list[Stretch]]:
    """Stretches packed into windows of at most `length` seconds, in which no pause is longer than `max_pause`.

    A single stretch that is longer has a window of its own.
    """
    packed: list[list[Stretch]] = []
    for start, end in sorted(stretches):
        if packed and end - packed[-1][0][0] <= length and start - packed[-1][-1][1] <= max_pause:
            packed[-1].append((start, end))
        else:
            packed.append([(start, end)])
    return packed
