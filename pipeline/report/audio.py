"""The recording of a speech's page: a small file for browsers, its waveform, loudness and spectrogram."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Matrix, Samples
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE

# At this rate, Opus keeps 16 kHz speech clear: 4 minutes are 0.9 MB.
BIT_RATE = 32_000
# Encoding takes most of the time of a first report. 0 is three times faster than 10, and hardly worse.
_COMPLEXITY = "0"
_BLOCK_SECONDS = 60.0
# A drawing has at most so many points, however long the recording is. A point is at least so many seconds long.
MOST_PEAKS, MOST_POINTS = 200_000, 12_000
_FINEST_PEAK, FINEST_POINT = 0.01, 0.04
_SILENCE_DB = -60.0


@dataclass(frozen=True)
class Outline:
    """The highest sample of every `peak_step` seconds, 0 to 100, and the level in decibels of every `level_step`."""

    peak_step: float
    peaks: list[int]
    level_step: float
    level: list[int]


def write_opus(
    recording: Recording, path: Path, start: float = 0.0, end: float | None = None, progress: Progress = no_progress
) -> None:
    """Write the recording, or its part between two times, as Opus in Ogg, which every current browser plays."""
    import av

    with av.open(str(path), "w", format="ogg") as container:
        options = {"compression_level": _COMPLEXITY}
        stream: Any = container.add_stream("libopus", rate=SAMPLE_RATE, layout="mono", options=options)
        stream.bit_rate = BIT_RATE
        for number, block in enumerate(_blocks(recording, start, end)):
            progress(number * _BLOCK_SECONDS / recording.duration, "audio")
            pulses = (np.clip(block, -1, 1) * 32767).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(pulses[None], format="s16", layout="mono")
            frame.sample_rate = SAMPLE_RATE
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def outline(recording: Recording) -> Outline:
    """The waveform and the level of a recording."""
    peak_width = _width(recording, _FINEST_PEAK, MOST_PEAKS)
    level_width = _width(recording, FINEST_POINT, MOST_POINTS)
    peaks = np.concatenate([np.abs(rows).max(axis=1) for rows in _rows(recording, peak_width)] or [np.zeros(0)])
    powers = np.concatenate([np.square(rows).mean(axis=1) for rows in _rows(recording, level_width)] or [np.zeros(0)])
    scale = max(float(peaks.max(initial=0.0)), 1e-4)
    level = 10 * np.log10(np.maximum(powers, 10 ** (_SILENCE_DB / 10)))
    peaks, level = (np.round(values).astype(int) for values in (100 * peaks / scale, level))
    return Outline(peak_width / SAMPLE_RATE, peaks.tolist(), level_width / SAMPLE_RATE, level.tolist())


def _width(recording: Recording, finest: float, most: int) -> int:
    """How many samples one point represents."""
    return max(round(max(finest, recording.duration / most) * SAMPLE_RATE), 1)


def _rows(recording: Recording, width: int) -> Iterator[NDArray[np.float32]]:
    """The samples in rows of that width. The last samples, which do not fill a row, are left out."""
    rest: Samples = np.zeros(0, dtype=np.float32)
    for block in _blocks(recording):
        samples = np.concatenate([rest, block])
        whole = len(samples) // width * width
        yield samples[:whole].reshape(-1, width)
        rest = samples[whole:]


def _blocks(recording: Recording, start: float = 0.0, end: float | None = None) -> Iterator[Samples]:
    last = recording.duration if end is None else min(end, recording.duration)
    for first in np.arange(start, last, _BLOCK_SECONDS):
        yield recording.samples(float(first), min(float(first) + _BLOCK_SECONDS, last))


# The spectrogram of a recording as images of one minute each, which the player draws.

# The usual values of phonetics: windows of 25 ms, up to 5 kHz, a range of 70 dB, high frequencies raised.
TOP_HERTZ = 5000
COLUMNS_PER_SECOND = 50
TILE_SECONDS = 60.0
_WINDOW, _STEP, _FFT = 400, SAMPLE_RATE // COLUMNS_PER_SECOND, 512
_ROWS = TOP_HERTZ * _FFT // SAMPLE_RATE
_DEPTH_DB = 70.0
_PRE_EMPHASIS = 0.95
# WebP's quickest way is three times faster than its usual one.
_QUALITY, _EFFORT = 30, 0
# A minute takes 2 MB until it is drawn. Of recordings that are longer than this, the rest is computed twice.
_MINUTES_KEPT = 20


class Spectrogram:
    """The images of one recording. Dark is loud, relative to the loudest sound of the recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._kept: dict[int, Matrix] = {}

    @property
    def tiles(self) -> int:
        """How many images there are."""
        return tiles(self.recording.duration)

    def write(self, number: int, path: Path) -> None:
        """Write the image of that number. Its lowest row is the lowest frequency."""
        from PIL import Image

        loudest, kept = self._loudest, self._kept.pop(number, None)
        decibels = self._decibels(number) if kept is None else kept
        depth = np.clip((loudest - decibels) / _DEPTH_DB, 0, 1)
        image = Image.fromarray((255 * depth.T[::-1]).astype(np.uint8))
        image.save(path, "WEBP", quality=_QUALITY, method=_EFFORT)

    @cached_property
    def _loudest(self) -> float:
        loudest = []
        for number in range(self.tiles):
            decibels = self._decibels(number)
            loudest.append(float(decibels.max()))
            if number < _MINUTES_KEPT:
                self._kept[number] = decibels
        return max(loudest, default=0.0)

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
