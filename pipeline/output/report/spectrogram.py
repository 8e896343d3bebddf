"""The spectrogram of a recording as images of one minute each, which the player draws."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

from pipeline.arrays import Matrix, Samples
from pipeline.records import SAMPLE_RATE, Recording

# The usual values of phonetics: windows of 25 ms, up to 5 kHz, a range of 70 dB, high frequencies raised.
TOP_HERTZ = 5000
COLUMNS_PER_SECOND = 50
TILE_SECONDS = 60.0
_WINDOW, _STEP, _FFT = 400, SAMPLE_RATE // COLUMNS_PER_SECOND, 512
_ROWS = TOP_HERTZ * _FFT // SAMPLE_RATE
_DEPTH_DB = 70.0
_PRE_EMPHASIS = 0.95
_QUALITY = 30


class Spectrogram:
    """The images of one recording. Dark is loud, relative to the loudest sound of the recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @property
    def tiles(self) -> int:
        """How many images there are."""
        return tiles(self.recording.duration)

    def write(self, number: int, path: Path) -> None:
        """Write the image of that number. Its lowest row is the lowest frequency."""
        from PIL import Image

        depth = np.clip((self._loudest - self._decibels(number)) / _DEPTH_DB, 0, 1)
        image = Image.fromarray((255 * depth.T[::-1]).astype(np.uint8))
        image.save(path, "WEBP", quality=_QUALITY)

    @cached_property
    def _loudest(self) -> float:
        return max((float(self._decibels(number).max()) for number in range(self.tiles)), default=0.0)

    def _decibels(self, number: int) -> Matrix:
        """The power in decibels by column and row, in the minute of that number."""
        start = number * TILE_SECONDS
        samples = self.recording.samples(start, start + TILE_SECONDS)
        columns = [np.abs(np.fft.rfft(frames, _FFT)[:, :_ROWS]) ** 2 for frames in _frames(samples)]
        return np.asarray(10 * np.log10(np.concatenate(columns) + 1e-12))


def tiles(duration: float) -> int:
    """How many images a recording of that many seconds has."""
    return max(int(np.ceil(duration / TILE_SECONDS)), 1)


def _frames(samples: Samples) -> Iterator[Matrix]:
    """The windowed samples around every column, a thousand columns at a time."""
    raised = np.append(samples[:1], samples[1:] - _PRE_EMPHASIS * samples[:-1])
    count = max(round(len(samples) / _STEP), 1)
    padded = np.pad(raised, (_WINDOW // 2, _WINDOW + _STEP))
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_STEP][:count]
    taper = np.hanning(_WINDOW).astype(np.float32)
    for first in range(0, len(windows), 1000):
        yield windows[first : first + 1000] * taper
