"""The recording of a speech's page: a small file for browsers, and its waveform and loudness as numbers to draw."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Samples
from pipeline.records import SAMPLE_RATE, Recording

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


def write_opus(recording: Recording, path: Path) -> None:
    """Write the recording as Opus in Ogg, which every current browser plays."""
    import av

    with av.open(str(path), "w", format="ogg") as container:
        options = {"compression_level": _COMPLEXITY}
        stream: Any = container.add_stream("libopus", rate=SAMPLE_RATE, layout="mono", options=options)
        stream.bit_rate = BIT_RATE
        for block in _blocks(recording):
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


def _blocks(recording: Recording) -> Iterator[Samples]:
    for start in np.arange(0.0, recording.duration, _BLOCK_SECONDS):
        yield recording.samples(float(start), float(start) + _BLOCK_SECONDS)
