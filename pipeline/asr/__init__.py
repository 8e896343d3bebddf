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

    def transcribe(self, read: ReadSamples, stretches: Sequence[Stretch], **options: Any) -> Recognised: ...


def grouped(stretches: Sequence[Stretch], max_pause: float, max_span: float) -> list[list[Stretch]]:
    """Stretches joined across pauses of up to `max_pause`, in groups that span at most about `max_span` seconds."""
    groups: list[list[Stretch]] = []
    for start, end in sorted(stretches):
        if not groups or end - groups[-1][0][0] > max_span:
            groups.append([(start, end)])
        elif start - groups[-1][-1][1] <= max_pause:
            groups[-1][-1] = (groups[-1][-1][0], max(end, groups[-1][-1][1]))
        else:
            groups[-1].append((start, end))
    return groups
