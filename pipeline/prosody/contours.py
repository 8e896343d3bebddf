"""How speech sounds, every 10 ms: pitch, level, harmonicity, the shape of the spectrum; in one pass over the audio."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Floats32, Samples
from pipeline.prosody.voice import HOP, Cycles, cycles, harmonicity, track_pitch
from pipeline.records import SAMPLE_RATE

FRAME_SECONDS = HOP / SAMPLE_RATE
# The level of a silent frame: far below any recording's noise.
SILENCE_DB = -120.0

_WINDOW = 400
_TRANSFORM = 512
_BLOCK_FRAMES = 6_000
# Audio before and after a block that its frames look into.
_MARGIN_FRAMES = 50
# The spectral slope is taken between these, where speech has its energy and every recording has a spectrum.
_SLOPE_FROM, _SLOPE_TO = 100.0, 7_000.0


@dataclass(frozen=True)
class Contours:
    """Frame i of each array is at i * 10 ms; NaN where a value is not defined."""

    pitch: Floats
    """Hz, NaN without a voice."""
    voicing: Floats
    """The pitch tracker's confidence, 0 to 1."""
    level: Floats
    """dB relative to a square wave of full scale."""
    harmonicity: Floats
    """Harmonics-to-noise ratio in dB, NaN without a voice."""
    centroid: Floats
    """Hz, NaN in digital silence."""
    slope: Floats
    """dB per octave, NaN in digital silence."""
    flux: Floats
    """Distance of the spectra of this frame and the one before, both of unit length: 0 to the root of 2."""

    @property
    def times(self) -> Floats:
        return np.asarray(np.arange(len(self.level)) * FRAME_SECONDS, dtype=np.float64)

    def arrays(self) -> dict[str, Floats32]:
        """The arrays that are stored beside the artifact."""
        named = {field.name: getattr(self, field.name).astype(np.float32) for field in fields(self)}
        return {"time": self.times.astype(np.float32), **named}


def contours(
    read: Callable[[float, float], Samples],
    duration: float,
    *,
    bandwidth: float = SAMPLE_RATE / 2,
    floor: float,
    ceiling: float,
    threshold: float,
) -> tuple[Contours, Cycles]:
    """Contours and cycles of a 16 kHz recording, computed minute by minute.

    `read` gives the samples between two times in seconds. `bandwidth`, in Hz, is lower for a recording that was made at
    a lower rate.
    """
    total = int(round(duration * SAMPLE_RATE)) // HOP + 1
    blocks: list[dict[str, Floats]] = []
    all_cycles: list[Cycles] = []
    for first in range(0, total, _BLOCK_FRAMES):
        last = min(first + _BLOCK_FRAMES, total)
        before = max(0, first - _MARGIN_FRAMES)
        samples = read(before * FRAME_SECONDS, min(duration, (last + _MARGIN_FRAMES) * FRAME_SECONDS))
        pitch = track_pitch(samples, floor=floor, ceiling=ceiling, threshold=threshold)
        block = {
            "pitch": pitch.hertz,
            "voicing": pitch.confidence,
            "harmonicity": harmonicity(samples, pitch.hertz),
            **_spectral(samples, bandwidth),
        }
        blocks.append({name: values[first - before : last - before] for name, values in block.items()})
        all_cycles.append(_between(cycles(samples, pitch.hertz), before, first, last))
    joined = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    return Contours(**joined), Cycles(*(np.concatenate(parts) for parts in zip(*all_cycles, strict=True)))


def _between(pairs: Cycles, origin: int, first: int, last: int) -> Cycles:
    """The cycles that begin in these frames, in the recording's time."""
    start = pairs.start + origin * FRAME_SECONDS
    inside = (start >= first * FRAME_SECONDS) & (start < last * FRAME_SECONDS)
    return Cycles(start[inside], *(values[inside] for values in pairs[1:]))


def _spectral(samples: Samples, bandwidth: float) -> dict[str, Floats]:
    """Level, centroid, slope and flux of every frame, of one spectrogram."""
    power, window_energy = _spectrogram(samples)
    energy = 2 * power[:, 1:-1].sum(axis=1, dtype=np.float64) + power[:, 0] + power[:, -1]
    heard = energy > 0
    mean_square = energy / (_TRANSFORM * window_energy)
    level = np.maximum(SILENCE_DB, 10 * np.log10(np.where(heard, mean_square, 1.0)))
    magnitude = np.sqrt(power)
    frequencies = np.linspace(0, SAMPLE_RATE / 2, magnitude.shape[1], dtype=np.float32)
    total = magnitude.sum(axis=1)
    centroid = magnitude @ frequencies / np.where(heard, total, 1.0)
    unit = magnitude / np.sqrt(np.where(heard, np.square(magnitude).sum(axis=1), 1.0))[:, None]
    flux = np.concatenate([[0.0], np.sqrt(np.square(np.diff(unit, axis=0)).sum(axis=1))])
    decibels = (10 * np.log10(np.maximum(power, np.finfo(np.float32).tiny))).astype(np.float32, copy=False)
    slope = decibels @ _slope_weights(frequencies, bandwidth)
    return {
        "level": np.where(heard, level, SILENCE_DB),
        "centroid": np.where(heard, centroid, np.nan).astype(np.float64),
        "slope": np.where(heard, slope, np.nan).astype(np.float64),
        "flux": flux.astype(np.float64),
    }


def _spectrogram(samples: Samples) -> tuple[Floats32, float]:
    """Power by frame and frequency, and the window's own energy."""
    import torch

    from pipeline.system.environment import import_torchaudio

    window = torch.hann_window(_WINDOW)
    power = import_torchaudio().functional.spectrogram(
        torch.from_numpy(samples), 0, window, _TRANSFORM, HOP, _WINDOW, 2.0, False, pad_mode="constant"
    )
    return np.ascontiguousarray(power.numpy().T), float(window.square().sum())


def _slope_weights(frequencies: NDArray[Any], bandwidth: float) -> Floats32:
    """Weights that give the slope of a spectrum in dB: of the line through it, every octave counting the same."""
    used = (frequencies >= _SLOPE_FROM) & (frequencies <= min(_SLOPE_TO, 0.9 * bandwidth))
    share = np.where(used, 1 / np.maximum(frequencies, 1.0), 0.0)
    share = share / share.sum()
    octaves = np.log2(np.maximum(frequencies, 1.0))
    centred = octaves - share @ octaves
    return np.asarray(share * centred / (share @ centred**2), dtype=np.float32)
