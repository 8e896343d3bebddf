"""How regular a voice is: its cycles one by one, for jitter and shimmer, and how much of it is harmonic.

The definitions are Praat's (Boersma 1993, and its manual's 'Voice' pages); the marking of cycles is our own.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.audio.pitch import HOP
from pipeline.records import SAMPLE_RATE

Floats = NDArray[np.float64]
Samples = NDArray[np.float32]

# A cycle ends where the signal peaks within this share of the period that the pitch tracker gave.
_REACH = 0.1
# Cycles are matched up to this many samples from where their peaks are.
_SHIFTS = 6
# Window of the harmonicity, 60 ms: with six periods of a low voice the window itself is no longer heard in the ratio.
_WINDOW = 960
_TRANSFORM = 2048
_MOST_HARMONIC = 60.0
# The best lag is looked for up to this many samples around the pitch tracker's, in eighths of a sample, by sines over
# cardinals under a window of so many samples to either side.
_LAGS, _FINER, _SPAN = 6, 8, 38


def _interpolation() -> NDArray[np.float32]:
    """The matrix that gives a band-limited signal's values between 2 * _SPAN + 1 of its samples."""
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
    first, last = marks[:-1], marks[1:]
    length, level = np.full(first.shape, np.nan), np.full(first.shape, np.nan)
    there = ~np.isnan(last)
    length[there] = _lengths(samples, first[there], last[there])
    level[there] = _levels(samples, first[there], length[there])
    pairs = np.stack([first[:-1], length[:-1], length[1:], level[:-1], level[1:]]).reshape(5, -1)
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    start, length, next_length, level, next_level = pairs[:, np.argsort(pairs[0], kind="stable")]
    return Cycles(start / SAMPLE_RATE, length / SAMPLE_RATE, next_length / SAMPLE_RATE, level, next_level)


def _lengths(samples: Samples, first: Floats, last: Floats) -> Floats:
    """From each mark to the next: how far the signal around the one must be moved to match that around the other."""
    length = last - first
    around = 2 ** np.floor(np.log2(length)).astype(np.intp)
    for width in np.unique(around):
        chosen = around == width
        padded = np.pad(samples, width + _SHIFTS)
        here, there = (np.round(marks[chosen]).astype(np.intp) for marks in (first, last))
        windows = np.lib.stride_tricks.sliding_window_view(padded, width)
        wider = np.lib.stride_tricks.sliding_window_view(padded, width + 2 * _SHIFTS)
        pattern = windows[here + width // 2 + _SHIFTS]
        shifted = np.lib.stride_tricks.sliding_window_view(wider[there + width // 2], width, axis=1)
        match = np.einsum("cw,csw->cs", pattern, shifted)
        energy = np.einsum("csw,csw->cs", shifted, shifted)
        shift, _ = _maximum(match / np.sqrt(np.maximum(energy, np.finfo(np.float32).tiny)))
        length[chosen] = there - here + shift - _SHIFTS
    return length


def _levels(samples: Samples, mark: Floats, length: Floats) -> Floats:
    """The root mean square of the signal in one cycle with its mark in the middle."""
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    until, since = (np.interp(mark + side * length / 2, np.arange(len(energy)), energy) for side in (1, -1))
    return np.asarray(np.sqrt(np.maximum(until - since, 0.0) / length))


def _marks(samples: Samples, hertz: Floats) -> Floats:
    """Where cycles begin, in samples: a column a stretch of voice, NaN after its end.

    All stretches are walked through at once, a cycle a step: from a peak to the highest point near where the pitch
    says that the next one is.
    """
    voiced = np.concatenate([[False], ~np.isnan(hertz), [False]])
    first, last = np.flatnonzero(np.diff(voiced.astype(np.int8))).reshape(-1, 2).T
    if not len(first):
        return np.zeros((0, 0))
    frames = np.arange(len(hertz)) * HOP
    known = ~np.isnan(hertz)
    period = np.interp(np.arange(len(samples)), frames[known], SAMPLE_RATE / hertz[known])
    reach = int(np.ceil(period.max() * max(_REACH, 0.5))) + 1
    padded = np.pad(_upright(samples, first * HOP, last * HOP), reach + 1)
    end = np.minimum(last * HOP, len(samples)).astype(np.float64)
    position = first * HOP + period[np.minimum(first * HOP, len(samples) - 1)] / 2
    position = _peak(padded, reach, position, period[_index(position, samples)] / 2)
    marks = [position]
    while True:
        step = period[_index(np.nan_to_num(position), samples)]
        position = _peak(padded, reach, position + step, step * _REACH)
        position = np.where(position < end, position, np.nan)
        if np.isnan(position).all():
            return np.stack(marks)
        marks.append(position)


def _index(position: Floats, samples: Samples) -> NDArray[np.intp]:
    return np.clip(np.round(position), 0, len(samples) - 1).astype(np.intp)


def _upright(samples: Samples, first: NDArray[np.intp], last: NDArray[np.intp]) -> Samples:
    """The samples, upside down in those stretches whose lower peaks are the higher ones."""
    upright = samples.copy()
    for start, end in zip(first, last, strict=True):
        part = upright[start:end]
        if len(part) and -part.min() > part.max():
            upright[start:end] = -part
    return upright


def _peak(padded: Samples, reach: int, position: Floats, within: Floats) -> Floats:
    """The highest point of the signal within so many samples of each position, between samples by a parabola."""
    centre = np.nan_to_num(position)
    centre = np.clip(np.round(centre), 0, len(padded) - 2 * reach - 3).astype(np.intp)
    offsets = np.arange(-int(np.ceil(within.max())), int(np.ceil(within.max())) + 1)
    values = padded[centre[:, None] + offsets + reach + 1]
    values = np.where(np.abs(offsets) <= within[:, None], values, -np.inf)
    best = centre + offsets[values.argmax(axis=1)]
    before, at, after = (padded[best + reach + 1 + shift].astype(np.float64) for shift in (-1, 0, 1))
    curvature = before - 2 * at + after
    shift = np.divide(before - after, 2 * curvature, out=np.zeros_like(at), where=curvature < 0)
    return np.where(np.isnan(position), np.nan, best + np.clip(shift, -0.5, 0.5))


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
    """Where each row is highest and how high, between its columns by a parabola."""
    rows = rows.astype(np.float64)
    best = np.clip(rows.argmax(axis=1), 1, rows.shape[1] - 2)
    before, at, after = (np.take_along_axis(rows, (best + side)[:, None], axis=1)[:, 0] for side in (-1, 0, 1))
    curvature = before - 2 * at + after
    shift = np.divide(before - after, 2 * curvature, out=np.zeros_like(at), where=curvature < 0)
    shift = np.clip(shift, -1.0, 1.0)
    return best + shift, at - (before - after) * shift / 4
