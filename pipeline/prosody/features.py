"""The features of a stretch of speech: each is one function, with its unit, its meaning and its formula.

They make the record, the table's header and the documentation, in the order in which they stand here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.arrays import Floats, Mask
from pipeline.prosody.contours import FRAME_SECONDS, Contours
from pipeline.prosody.voice import Cycles

# With fewer voiced frames no feature of pitch is defined; with fewer cycles, neither jitter nor shimmer.
_FEWEST_FRAMES = 10
_FEWEST_CYCLES = 10
# The end of a sentence, for its final rise: the last 0.3 s of voice.
_FINAL_FRAMES = 30
# The baseline goes through the lowest pitch of every quarter of a second.
_BASELINE_FRAMES = 25
_FEWEST_LOWS = 3
# Praat's limits: neighbouring cycles whose lengths or levels differ by a larger factor are not compared.
_LENGTH_FACTOR, _LEVEL_FACTOR = 1.3, 1.6
_PEAK_PROMINENCE_DB, _PEAK_TILT_DB, _PEAK_SMOOTHING = 3.0, 1e-3, 5


class Undefined(Exception):
    """A feature has no value here; the message says why."""


def _ratio(one: Floats, other: Floats) -> Floats:
    return np.maximum(one, other) / np.maximum(np.minimum(one, other), np.finfo(float).tiny)


@dataclass(frozen=True)
class Stretch:
    """A sentence or a group of words as it sounds, from the first frame with sound to the last.

    `silent` marks the frames of its pauses; `pause_before` and `pause_after` are None where the recording begins or
    ends with the pause. `syllables` is None in a language whose spelling is not known.
    """

    contours: Contours
    cycles: Cycles
    first: int
    last: int
    silent: Mask
    pauses: Floats
    pause_before: float | None
    pause_after: float | None
    syllables: int | None
    filled_pauses: int | None
    overlap: float | None
    emphasis: Floats

    @property
    def seconds(self) -> float:
        return (self.last - self.first) * FRAME_SECONDS

    @cached_property
    def _semitones(self) -> Floats:
        return 12 * np.log2(self.contours.pitch[self.first : self.last])

    @cached_property
    def voiced(self) -> Floats:
        """Frames with a voice: rows of time in seconds and pitch in semitones (above 1 Hz)."""
        frames = np.flatnonzero(~np.isnan(self._semitones))
        if len(frames) < _FEWEST_FRAMES:
            raise Undefined("too little voice for a pitch")
        return np.stack([frames * FRAME_SECONDS, self._semitones[frames]], axis=1)

    def sounding(self, values: Floats) -> Floats:
        """A contour's values outside of the pauses."""
        return values[self.first : self.last][~self.silent]

    @property
    def levels(self) -> Floats:
        """The level of the frames outside of pauses."""
        return self.sounding(self.contours.level)

    @cached_property
    def neighbours(self) -> Cycles:
        """Its pairs of neighbouring cycles."""
        since, until = np.searchsorted(self.cycles.start, [self.first * FRAME_SECONDS, self.last * FRAME_SECONDS])
        own = Cycles(*(values[since:until] for values in self.cycles))
        alike = _ratio(own.length, own.next_length) <= _LENGTH_FACTOR
        if alike.sum() < _FEWEST_CYCLES:
            raise Undefined("too few cycles of a voice")
        return Cycles(*(values[alike] for values in own))


@dataclass(frozen=True)
class Feature:
    name: str
    unit: str
    meaning: str
    formula: Callable[[Stretch], float]


def measure(stretch: Stretch) -> tuple[dict[str, float | None], dict[str, str]]:
    """Every feature's value, None where it has none, and for those the reason."""
    values: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for feature in FEATURES:
        try:
            values[feature.name] = round(float(feature.formula(stretch)), 4)
        except Undefined as undefined:
            values[feature.name] = None
            reasons[feature.name] = str(undefined)
    return values, reasons


_DECLARED: list[Feature] = []


def _feature(unit: str) -> Callable[[Callable[[Stretch], float]], Callable[[Stretch], float]]:
    """Declares a feature: its name is that of the function, its meaning the function's docstring."""

    def declare(formula: Callable[[Stretch], float]) -> Callable[[Stretch], float]:
        _DECLARED.append(Feature(formula.__name__, unit, formula.__doc__ or "", formula))
        return formula

    return declare


def _slope(times: Floats, values: Floats) -> float:
    """The slope of the line with the least squares through the values."""
    centred = times - times.mean()
    return float(centred @ values / (centred @ centred))


def _range(values: Floats) -> float:
    low, high = np.percentile(values, [5, 95])
    return float(high - low)


def _mean(values: Floats, reason: str) -> float:
    known = values[~np.isnan(values)]
    if not len(known):
        raise Undefined(reason)
    return float(known.mean())


def _known(value: float | None, reason: str) -> float:
    if value is None:
        raise Undefined(reason)
    return value


@_feature("Hz")
def f0_median(stretch: Stretch) -> float:
    """Median pitch of the frames with a voice."""
    return float(2 ** (np.median(stretch.voiced[:, 1]) / 12))


@_feature("semitones")
def f0_range(stretch: Stretch) -> float:
    """Between the 5th and the 95th percentile of the pitch."""
    return _range(stretch.voiced[:, 1])


@_feature("semitones/s")
def f0_slope(stretch: Stretch) -> float:
    """Slope of the line through the pitch; above 0 it rises."""
    return _slope(*stretch.voiced.T)


@_feature("semitones")
def f0_final_rise(stretch: Stretch) -> float:
    """How far the pitch rises over the last 0.3 s of voice; below 0 it falls."""
    times, semitones = stretch.voiced[-_FINAL_FRAMES:].T
    return _slope(times, semitones) * float(times[-1] - times[0])


@_feature("semitones/s")
def f0_declination(stretch: Stretch) -> float:
    """Slope of the baseline, through the lowest pitch of each 0.25 s."""
    times, semitones = stretch.voiced.T
    quarter = np.round(times / FRAME_SECONDS).astype(int) // _BASELINE_FRAMES
    order = np.lexsort((semitones, quarter))
    lows = order[np.unique(quarter[order], return_index=True)[1]]
    if len(lows) < _FEWEST_LOWS:
        raise Undefined("too short for a baseline")
    return _slope(times[lows], semitones[lows])


@_feature("dBFS")
def intensity_mean(stretch: Stretch) -> float:
    """Mean power outside of pauses; a full-scale sine has -3."""
    return float(10 * np.log10(np.mean(10 ** (stretch.levels / 10))))


@_feature("dB")
def intensity_range(stretch: Stretch) -> float:
    """Between the 5th and the 95th percentile of the level."""
    return _range(stretch.levels)


@_feature("dBFS")
def intensity_peak(stretch: Stretch) -> float:
    """Level of the loudest frame."""
    return float(stretch.levels.max())


@_feature("1/s")
def intensity_peaks(stretch: Stretch) -> float:
    """Peaks of the level per second that stand out by 3 dB."""
    from scipy.signal import find_peaks

    levels = stretch.contours.level[stretch.first : stretch.last]
    padded = np.pad(levels, _PEAK_SMOOTHING // 2, mode="edge")
    smooth = np.convolve(padded, np.full(_PEAK_SMOOTHING, 1 / _PEAK_SMOOTHING), mode="valid")
    # On a level plateau each of several equal ripples would be a peak; on one that falls slightly only the first is.
    falling = smooth - _PEAK_TILT_DB * np.arange(len(smooth))
    edge = float(falling.min()) - 2 * _PEAK_PROMINENCE_DB
    peaks, _ = find_peaks(np.pad(falling, 1, constant_values=edge), prominence=_PEAK_PROMINENCE_DB)
    return len(peaks) / stretch.seconds


@_feature("syllables/s")
def speech_rate(stretch: Stretch) -> float:
    """Syllables per second, pauses included."""
    return _syllables(stretch) / stretch.seconds


@_feature("syllables/s")
def articulation_rate(stretch: Stretch) -> float:
    """Syllables per second, pauses left out."""
    return _syllables(stretch) / (stretch.seconds - float(stretch.pauses.sum()))


def _syllables(stretch: Stretch) -> int:
    if stretch.syllables is None:
        raise Undefined("nothing is known of the syllables of this language")
    return stretch.syllables


@_feature("1")
def pause_count(stretch: Stretch) -> float:
    """Pauses within."""
    return len(stretch.pauses)


@_feature("1")
def pause_share(stretch: Stretch) -> float:
    """Share of the time that is pauses."""
    return float(stretch.pauses.sum() / stretch.seconds)


@_feature("s")
def pause_longest(stretch: Stretch) -> float:
    """Longest pause within."""
    return float(stretch.pauses.max(initial=0.0))


@_feature("s")
def pause_before(stretch: Stretch) -> float:
    """Silence before the first sound."""
    return _known(stretch.pause_before, "the recording begins with it")


@_feature("s")
def pause_after(stretch: Stretch) -> float:
    """Silence after the last sound."""
    return _known(stretch.pause_after, "the recording ends with it")


@_feature("1")
def filled_pauses(stretch: Stretch) -> float:
    """Hesitations in the transcript: um, uh, er, hmm."""
    return _known(stretch.filled_pauses, "this recogniser leaves hesitations out")


@_feature("1")
def jitter(stretch: Stretch) -> float:
    """Mean difference of neighbouring cycles' lengths, by the mean length."""
    pairs = stretch.neighbours
    return float(np.abs(pairs.length - pairs.next_length).mean() / pairs.length.mean())


@_feature("1")
def shimmer(stretch: Stretch) -> float:
    """Mean difference of neighbouring cycles' levels, by the mean level."""
    pairs = stretch.neighbours
    alike = _ratio(pairs.level, pairs.next_level) <= _LEVEL_FACTOR
    if alike.sum() < _FEWEST_CYCLES:
        raise Undefined("too few cycles of a voice")
    return float(np.abs(pairs.level - pairs.next_level)[alike].mean() / pairs.level[alike].mean())


@_feature("dB")
def hnr(stretch: Stretch) -> float:
    """Mean harmonics-to-noise ratio of the frames with a voice."""
    return _mean(stretch.contours.harmonicity[stretch.first : stretch.last], "no voice")


@_feature("Hz")
def spectral_centroid(stretch: Stretch) -> float:
    """Mean centre of the magnitude spectrum."""
    return _mean(stretch.sounding(stretch.contours.centroid), "no sound")


@_feature("dB/octave")
def spectral_slope(stretch: Stretch) -> float:
    """Mean slope of the spectrum from 100 Hz to 7 kHz."""
    return _mean(stretch.sounding(stretch.contours.slope), "no sound")


@_feature("1")
def spectral_flux(stretch: Stretch) -> float:
    """Mean distance of the unit spectra of neighbouring frames."""
    return _mean(stretch.sounding(stretch.contours.flux), "no sound")


@_feature("1")
def voiced_share(stretch: Stretch) -> float:
    """Share of the frames outside of pauses that have a voice."""
    return float((~np.isnan(stretch.sounding(stretch.contours.pitch))).mean())


@_feature("1")
def overlap(stretch: Stretch) -> float:
    """Share of the time in which another speaker speaks too."""
    return _known(stretch.overlap, "no turns")


@_feature("z")
def emphasis(stretch: Stretch) -> float:
    """Mean emphasis of the words."""
    return _mean(stretch.emphasis, "no word of it has an emphasis")


@_feature("z")
def emphasis_peak(stretch: Stretch) -> float:
    """Emphasis of the most emphasised word."""
    emphasis(stretch)  # undefined where it is
    return float(np.nanmax(stretch.emphasis))


FEATURES = tuple(_DECLARED)
