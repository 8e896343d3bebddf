"""The features of a stretch of speech: one table of names, units and meanings, each with its formula.

The table makes the record, the table's header and the documentation; a new feature is a line in it.
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


@dataclass(frozen=True)
class Stretch:
    """A sentence or a group of words as it sounds, from the first frame with sound to the last.

    `silent` marks the frames of its pauses; `pause_before` and `pause_after` are None where the recording begins or
    ends with the pause.
    """

    contours: Contours
    cycles: Cycles
    first: int
    last: int
    silent: Mask
    pauses: Floats
    pause_before: float | None
    pause_after: float | None
    syllables: int
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


def _ratio(one: Floats, other: Floats) -> Floats:
    return np.maximum(one, other) / np.maximum(np.minimum(one, other), np.finfo(float).tiny)


def _slope(times: Floats, values: Floats) -> float:
    """The slope of the line with the least squares through the values."""
    centred = times - times.mean()
    return float(centred @ values / (centred @ centred))


def _f0_median(stretch: Stretch) -> float:
    return float(2 ** (np.median(stretch.voiced[:, 1]) / 12))


def _f0_range(stretch: Stretch) -> float:
    low, high = np.percentile(stretch.voiced[:, 1], [5, 95])
    return float(high - low)


def _f0_slope(stretch: Stretch) -> float:
    return _slope(*stretch.voiced.T)


def _f0_final_rise(stretch: Stretch) -> float:
    times, semitones = stretch.voiced[-_FINAL_FRAMES:].T
    return _slope(times, semitones) * float(times[-1] - times[0])


def _f0_declination(stretch: Stretch) -> float:
    times, semitones = stretch.voiced.T
    quarter = np.round(times / FRAME_SECONDS).astype(int) // _BASELINE_FRAMES
    order = np.lexsort((semitones, quarter))
    lows = order[np.unique(quarter[order], return_index=True)[1]]
    if len(lows) < _FEWEST_LOWS:
        raise Undefined("too short for a baseline")
    return _slope(times[lows], semitones[lows])


def _levels(stretch: Stretch) -> Floats:
    return stretch.sounding(stretch.contours.level)


def _intensity_mean(stretch: Stretch) -> float:
    return float(10 * np.log10(np.mean(10 ** (_levels(stretch) / 10))))


def _intensity_range(stretch: Stretch) -> float:
    low, high = np.percentile(_levels(stretch), [5, 95])
    return float(high - low)


def _intensity_peaks(stretch: Stretch) -> float:
    from scipy.signal import find_peaks

    levels = stretch.contours.level[stretch.first : stretch.last]
    padded = np.pad(levels, _PEAK_SMOOTHING // 2, mode="edge")
    smooth = np.convolve(padded, np.full(_PEAK_SMOOTHING, 1 / _PEAK_SMOOTHING), mode="valid")
    # On a level plateau each of several equal ripples would be a peak; on one that falls slightly only the first is.
    falling = smooth - _PEAK_TILT_DB * np.arange(len(smooth))
    edge = float(falling.min()) - 2 * _PEAK_PROMINENCE_DB
    peaks, _ = find_peaks(np.pad(falling, 1, constant_values=edge), prominence=_PEAK_PROMINENCE_DB)
    return len(peaks) / stretch.seconds


def _speech_rate(stretch: Stretch) -> float:
    return stretch.syllables / stretch.seconds


def _articulation_rate(stretch: Stretch) -> float:
    return stretch.syllables / (stretch.seconds - float(stretch.pauses.sum()))


def _pause_before(stretch: Stretch) -> float:
    if stretch.pause_before is None:
        raise Undefined("the recording begins with it")
    return stretch.pause_before


def _pause_after(stretch: Stretch) -> float:
    if stretch.pause_after is None:
        raise Undefined("the recording ends with it")
    return stretch.pause_after


def _filled_pauses(stretch: Stretch) -> float:
    if stretch.filled_pauses is None:
        raise Undefined("this recogniser leaves hesitations out")
    return stretch.filled_pauses


def _overlap(stretch: Stretch) -> float:
    if stretch.overlap is None:
        raise Undefined("no turns")
    return stretch.overlap


def _voiced_share(stretch: Stretch) -> float:
    return float((~np.isnan(stretch.sounding(stretch.contours.pitch))).mean())


def _jitter(stretch: Stretch) -> float:
    found = stretch.neighbours
    return float(np.abs(found.length - found.next_length).mean() / found.length.mean())


def _shimmer(stretch: Stretch) -> float:
    found = stretch.neighbours
    alike = _ratio(found.level, found.next_level) <= _LEVEL_FACTOR
    if alike.sum() < _FEWEST_CYCLES:
        raise Undefined("too few cycles of a voice")
    return float(np.abs(found.level - found.next_level)[alike].mean() / found.level[alike].mean())


def _mean(values: Floats, reason: str) -> float:
    known = values[~np.isnan(values)]
    if not len(known):
        raise Undefined(reason)
    return float(known.mean())


def _hnr(stretch: Stretch) -> float:
    return _mean(stretch.contours.harmonicity[stretch.first : stretch.last], "no voice")


def _centroid(stretch: Stretch) -> float:
    return _mean(stretch.sounding(stretch.contours.centroid), "no sound")


def _spectral_slope(stretch: Stretch) -> float:
    return _mean(stretch.sounding(stretch.contours.slope), "no sound")


def _flux(stretch: Stretch) -> float:
    return _mean(stretch.sounding(stretch.contours.flux), "no sound")


def _emphasis(stretch: Stretch) -> float:
    return _mean(stretch.emphasis, "no word of it has an emphasis")


def _emphasis_peak(stretch: Stretch) -> float:
    _emphasis(stretch)
    return float(np.nanmax(stretch.emphasis))


FEATURES = (
    Feature("f0_median", "Hz", "Median pitch of the frames with a voice.", _f0_median),
    Feature("f0_range", "semitones", "Between the 5th and the 95th percentile of the pitch.", _f0_range),
    Feature("f0_slope", "semitones/s", "Slope of the line through the pitch; above 0 it rises.", _f0_slope),
    Feature(
        "f0_final_rise",
        "semitones",
        "How far the pitch rises over the last 0.3 s of voice; below 0 it falls.",
        _f0_final_rise,
    ),
    Feature(
        "f0_declination",
        "semitones/s",
        "Slope of the baseline, through the lowest pitch of each 0.25 s.",
        _f0_declination,
    ),
    Feature("intensity_mean", "dBFS", "Mean power outside of pauses; a full-scale sine has -3.", _intensity_mean),
    Feature("intensity_range", "dB", "Between the 5th and the 95th percentile of the level.", _intensity_range),
    Feature("intensity_peak", "dBFS", "Level of the loudest frame.", lambda stretch: float(_levels(stretch).max())),
    Feature("intensity_peaks", "1/s", "Peaks of the level per second that stand out by 3 dB.", _intensity_peaks),
    Feature("speech_rate", "syllables/s", "Syllables per second, pauses included.", _speech_rate),
    Feature("articulation_rate", "syllables/s", "Syllables per second, pauses left out.", _articulation_rate),
    Feature("pause_count", "1", "Pauses within.", lambda stretch: len(stretch.pauses)),
    Feature(
        "pause_share", "1", "Share of the time that is pauses.", lambda stretch: stretch.pauses.sum() / stretch.seconds
    ),
    Feature("pause_longest", "s", "Longest pause within.", lambda stretch: stretch.pauses.max(initial=0.0)),
    Feature("pause_before", "s", "Silence before the first sound.", _pause_before),
    Feature("pause_after", "s", "Silence after the last sound.", _pause_after),
    Feature("filled_pauses", "1", "Hesitations in the transcript: um, uh, er, hmm.", _filled_pauses),
    Feature("jitter", "1", "Mean difference of neighbouring cycles' lengths, by the mean length.", _jitter),
    Feature("shimmer", "1", "Mean difference of neighbouring cycles' levels, by the mean level.", _shimmer),
    Feature("hnr", "dB", "Mean harmonics-to-noise ratio of the frames with a voice.", _hnr),
    Feature("spectral_centroid", "Hz", "Mean centre of the magnitude spectrum.", _centroid),
    Feature("spectral_slope", "dB/octave", "Mean slope of the spectrum from 100 Hz to 7 kHz.", _spectral_slope),
    Feature("spectral_flux", "1", "Mean distance of the unit spectra of neighbouring frames.", _flux),
    Feature("voiced_share", "1", "Share of the frames outside of pauses that have a voice.", _voiced_share),
    Feature("overlap", "1", "Share of the time in which another speaker speaks too.", _overlap),
    Feature("emphasis", "z", "Mean emphasis of the words.", _emphasis),
    Feature("emphasis_peak", "z", "Emphasis of the most emphasised word.", _emphasis_peak),
)
