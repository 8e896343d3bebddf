"""What every Whisper recogniser does alike."""

from collections.abc import Sequence

from pipeline.transcribe.whisper import Heard, Piece, decode_all
from pipeline.transcribe.windows import Window


class Deaf:
    """A decoder that hears nothing in two pieces at once."""

    at_once = 2

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
        return [Heard([], None, piece.length) for piece in pieces]


def test_progress_is_the_share_of_the_speech_that_is_decoded() -> None:
    windows = [Window([(start, start + length)], 2.0) for start, length in ((0.0, 30.0), (40.0, 20.0), (100.0, 50.0))]
    told: list[float] = []
    assert decode_all(windows, Deaf(), lambda share, what: told.append(round(share, 2))) == ((), ())
    assert told == [0.5, 0.8, 1.0]
