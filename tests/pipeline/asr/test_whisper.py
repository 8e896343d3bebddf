"""What every Whisper recogniser does alike."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Samples
from pipeline.asr.whisper import Heard, Piece, decode_all
from pipeline.asr.windows import ReadSamples, Window
from pipeline.records import SAMPLE_RATE


class Deaf:
    """A decoder that hears nothing in two pieces at once."""

    at_once = 2

    def decode(self, pieces: Sequence[Piece], read: ReadSamples) -> Sequence[Heard]:
        return [Heard([], None, piece.length) for piece in pieces]


def silence(start: float, end: float) -> Samples:
    return np.zeros(round((end - start) * SAMPLE_RATE), dtype=np.float32)


def test_progress_is_the_share_of_the_speech_that_is_decoded() -> None:
    windows = [Window([(start, start + length)], 2.0) for start, length in ((0.0, 30.0), (40.0, 20.0), (100.0, 50.0))]
    told: list[float] = []
    assert decode_all(windows, silence, Deaf(), lambda share, what: told.append(round(share, 2))) == ((), ())
    assert told == [0.5, 0.8, 1.0]
