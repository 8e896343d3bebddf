"""Recognisers: speech in, words with times out. One file per recogniser behind one Protocol."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from pipeline.asr.windows import ReadSamples, Stretch
from pipeline.records import Segment, Word


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
