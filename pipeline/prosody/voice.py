"""The voice: its pitch every 10 ms, its cycles one by one for jitter and shimmer, and how much of it is harmonic.

The pitch is from SwiftF0 (Nieradzik 2025), whose model is part of its package. It was chosen by measurement:
docs/prosody.md has it beside Praat, pYIN and torchaudio on speech with a laryngograph. The definitions of voice quality
are Praat's (Boersma 1993, and its manual's 'Voice' pages); the marking of cycles is our own.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Floats32, Indices, Mask, Samples
from pipeline.records import SAMPLE_RATE

HOP = SAMPLE_RATE // 100
FLOOR = 50.0
CEILING = 500.0

# Shorter audio, in samples, is less than one frame of the model.
_SHORTEST = 512
_PIECE = 4 * SAMPLE_RATE
_PEAK = 0.5
_SILENCE = 1e-4


class Pitch(NamedTuple):
    """Frame i is at i * 10 ms. `hertz` is NaN where there is no voice; `confidence` is the model's, 0 to 1."""

    hertz: Floats
    confidence: Floats


def track_pitch(samples: Samples, *, floor: float = FLOOR, ceiling: float = CEILING, threshold: float = 0.5) -> Pitch:
    """The pitch between `floor` and `ceiling` Hz in 16 kHz samples; a voice is where the confidence is `threshold`."""
    frames = len(samples) // HOP + 1
    if len(samples) < _SHORTEST:
        return Pitch(np.full(frames, np.nan), np.zeros(frames))
    detected = _detect(_raised(samples), floor, ceiling)
    voiced = detected.confidence >= threshold
    # The model's frames are 16 ms apart. In between, pitch moves evenly in semitones; a voice is where it is in the
    # nearer of two frames, so that no pitch is made up between a voiced and an unvoiced one.
    position = np.arange(frames) * (HOP / SAMPLE_RATE)
    nearest = np.searchsorted((detected.timestamps[1:] + detected.timestamps[:-1]) / 2, position)
    before = np.searchsorted(detected.timestamps, position, side="right") - 1
    after = np.minimum(before + 1, len(voiced) - 1)
    logs = np.log(detected.pitch_hz)
    between = np.interp(position, detected.timestamps, logs)
    hertz = np.exp(np.where(voiced[before] & voiced[after], between, logs[nearest]))
    return Pitch(np.where(voiced[nearest], hertz, np.nan), detected.confidence[nearest])


def _detect(samples: Samples, floor: float, ceiling: float) -> Any:
    """The model's own frames. It is handed a few seconds at a time, which is a third faster than half a minute."""
    from swift_f0 import concat

    stream = _detector().stream(floor, ceiling)
    pieces = range(0, len(samples), _PIECE)
    frames = [stream.push(samples[start : start + _PIECE], SAMPLE_RATE) for start in pieces]
    return concat([*frames, stream.flush()])


def _raised(samples: Samples) -> Samples:
    """The samples, amplified if the model would take them for silence."""
    peak = float(np.abs(samples).max())
    return samples * np.float32(_PEAK / peak) if _SILENCE < peak < _PEAK else samples


@functools.cache
def _detector() -> Any:
    """One per process; it may be used from several threads."""
    from swift_f0 import SwiftF0

    return SwiftF0(threads=1)


# A cycle ends where the signal peaks within this share of the period that the pitch tracker gave.
_REACH = 0.1
# Cycles are matched up to this many samples from where their peaks are.
_SHIFTS = 6
# Window of the harmonicity, 60 ms: it holds six periods of a low voice, so that it hardly changes the ratio itself.
_WINDOW = 960
_TRANSFORM = 2048
_MOST_HARMONIC = 60.0
# The best lag is looked for up to this many samples around the pitch tracker's, in eighths of a sample, by sinc
# interpolation over so many samples to either side.
_LAGS, _FINER, _SPAN = 6, 8, 38


def _interpolation() -> Floats32:
    """The matrix of sinc interpolation between 2 * _SPAN + 1 samples."""
    distance = np.arange(-_SPAN, _SPAN + 1)[:, None] - np.arange(-_LAGS * _FINER, _LAGS * _FINER + 1) / _FINER
    taper = np.cos(np.pi / 2 * np.clip(distance / (_SPAN - _LAGS), -1, 1)) ** 2
    return np.asarray(np.sinc(distance) * taper, dtype=np.float32)


_BETWEEN = _interpolation()


class Cycles(NamedTuple):
    """Pairs of cycles of the voice that follow one another: when the first begins, in seconds, the lengths of both in
    seconds, and the root mean square of the signal in both."""

    start: Floats
    length: Floats
    next_length: Floats
    level: Floats
    next_level: Floats


def cycles(samples: Samples, hertz: Floats) -> Cycles:
    """All pairs of neighbouring cycles in 16 kHz samples whose pitch is given every 10 ms, NaN where there is none."""
    marks = _marks(samples, hertz)
    if len(marks) < 3:
        return Cycles(*np.zeros((5, 0)))
    there = marks[1:] >= 0
    mark, following = marks[:-1][there], marks[1:][there]
    length, level = np.full(there.shape, np.nan), np.full(there.shape, np.nan)
    length[there] = _lengths(samples, mark, following)
    level[there] = _levels(samples, mark, length[there])
    pairs = np.stack([marks[:-2], length[:-1], length[1:], level[:-1], level[1:]]).reshape(5, -1)
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    start, length, next_length, level, next_level = pairs[:, np.argsort(pairs[0], kind="stable")]
    return Cycles(start / SAMPLE_RATE, length / SAMPLE_RATE, next_length / SAMPLE_RATE, level, next_level)


def _lengths(samples: Samples, mark: Indices, following: Indices) -> Floats:
    """From each mark to the next: how far the signal around the one must be moved to match that around the other."""
    apart = following - mark
    length = np.zeros(len(mark))
    around = 2 ** np.floor(np.log2(apart)).astype(np.intp)
    for width in np.unique(around):
        chosen = around == width
        padded = np.pad(samples, width + _SHIFTS)
        windows = np.lib.stride_tricks.sliding_window_view(padded, width)
        wider = np.lib.stride_tricks.sliding_window_view(padded, width + 2 * _SHIFTS)
        pattern = windows[mark[chosen] + width // 2 + _SHIFTS]
        shifted = np.lib.stride_tricks.sliding_window_view(wider[following[chosen] + width // 2], width, axis=1)
        match = np.einsum("cw,csw->cs", pattern, shifted)
        energy = np.einsum("csw,csw->cs", shifted, shifted)
        shift, _ = _maximum(match / np.sqrt(np.maximum(energy, np.finfo(np.float32).tiny)))
        length[chosen] = apart[chosen] + shift - _SHIFTS
    return length


def _levels(samples: Samples, mark: Indices, length: Floats) -> Floats:
    """The root mean square of the signal in one cycle with its mark in the middle."""
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    until, since = (np.interp(mark + side * length / 2, np.arange(len(energy)), energy) for side in (1, -1))
    return np.asarray(np.sqrt(np.maximum(until - since, 0.0) / length))


def _marks(samples: Samples, hertz: Floats) -> Indices:
    """Samples at which cycles begin: one column per stretch of voice, -1 after its end.

    All stretches are walked through together, one cycle per step: from a peak to the highest point near where the pitch
    says that the next one is.
    """
    begin, end = np.minimum(runs(~np.isnan(hertz)) * HOP, len(samples)).T
    begin, end = begin[begin < end], end[begin < end]
    if not len(begin):
        return np.zeros((0, 0), dtype=np.intp)
    known = np.flatnonzero(~np.isnan(hertz))
    period = np.interp(np.arange(len(samples)), known * HOP, SAMPLE_RATE / hertz[known])
    upright = _upright(samples, begin, end)
    position = _peak(upright, begin + period[begin] / 2, period[begin] / 2)
    marks = []
    while (position >= 0).any():
        marks.append(position)
        step = period[position]
        expected = position + step
        goes_on = (position >= 0) & (expected < end)
        position = np.where(goes_on, _peak(upright, expected, step * _REACH), -1)
    return np.stack(marks)


def runs(flags: Mask) -> Indices:
    """The runs of true flags: rows of first and last frame, the last one not included."""
    edges = np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))
    return np.flatnonzero(edges).reshape(-1, 2)


def _upright(samples: Samples, begin: Indices, end: Indices) -> Samples:
    """The samples, upside down in those stretches whose lower peaks are the higher ones."""
    upright = samples.copy()
    for first, last in zip(begin, end, strict=True):
        part = upright[first:last]
        if -part.min() > part.max():
            upright[first:last] = -part
    return upright


def _peak(samples: Samples, position: Floats, within: Floats) -> Indices:
    """The highest sample within so many of each position."""
    offsets = np.arange(-np.ceil(within.max()), np.ceil(within.max()) + 1).astype(np.intp)
    around = np.clip(np.round(position).astype(np.intp)[:, None] + offsets, 0, len(samples) - 1)
    values = np.where(np.abs(offsets) <= within[:, None], samples[around], -np.inf)
    return np.take_along_axis(around, values.argmax(axis=1)[:, None], axis=1)[:, 0]


def harmonicity(samples: Samples, hertz: Floats) -> Floats:
    """The harmonics-to-noise ratio in dB of every 10 ms frame, NaN where there is no pitch.

    The share of the signal's power that repeats after one period is the autocorrelation there (Boersma 1993).
    """
    import scipy.fft

    ratio = np.full(len(hertz), np.nan)
    voiced = np.flatnonzero(~np.isnan(hertz))
    if not len(voiced):
        return ratio
    window = np.hanning(_WINDOW + 2)[1:-1].astype(np.float32)
    padded = np.pad(samples, (_WINDOW // 2, _WINDOW))
    frames = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[voiced * HOP]
    frames = (frames - frames.mean(axis=1, keepdims=True)) * window
    power = np.square(np.abs(scipy.fft.rfft(frames, _TRANSFORM)))
    correlation = scipy.fft.irfft(power, _TRANSFORM)
    of_window = scipy.fft.irfft(np.square(np.abs(scipy.fft.rfft(window, _TRANSFORM))), _TRANSFORM)
    total = np.maximum(correlation[:, 0], np.finfo(np.float32).tiny)
    lags = np.round(SAMPLE_RATE / hertz[voiced]).astype(np.intp)[:, None] + np.arange(-_SPAN, _SPAN + 1)
    near = np.take_along_axis(correlation, np.abs(lags), axis=1) / total[:, None]
    near = (near @ _BETWEEN) / (of_window[np.abs(lags)] / of_window[0] @ _BETWEEN)
    _, share = _maximum(near)
    limit = 10 ** (-_MOST_HARMONIC / 10)
    share = np.clip(share, limit, 1 - limit)
    ratio[voiced] = np.where(correlation[:, 0] > 0, 10 * np.log10(share / (1 - share)), np.nan)
    return ratio


def _maximum(rows: NDArray[Any]) -> tuple[Floats, Floats]:
    """The position and the height of each row's maximum, by parabolic interpolation."""
    rows = rows.astype(np.float64)
    best = np.clip(rows.argmax(axis=1), 1, rows.shape[1] - 2)
    before, at, after = (np.take_along_axis(rows, (best + side)[:, None], axis=1)[:, 0] for side in (-1, 0, 1))
    curvature = before - 2 * at + after
    shift = np.divide(before - after, 2 * curvature, out=np.zeros_like(at), where=curvature < 0)
    shift = np.clip(shift, -1.0, 1.0)
    return best + shift, at - (before - after) * shift / 4
