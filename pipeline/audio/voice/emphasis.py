"""How much each word is stressed: its pitch, loudness and length against what is usual for its speaker."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Floats
from pipeline.audio.voice.contours import FRAME_SECONDS, Contours
from pipeline.records import Word, WordEmphasis
from pipeline.text.syllables import syllables

_FEWEST_WORDS = 5
_FEWEST_VOICED = 3
# The percentile that stands for a word: the pitch and the level that it reaches.
_REACHED = 90


def emphasis(words: Sequence[Word], contours: Contours) -> tuple[WordEmphasis, ...]:
    """Pitch, energy and duration of each word in standard deviations from its speaker's mean, and their mean."""
    raw = np.array([_raw(word, contours) for word in words]).reshape(-1, 3)
    speakers = np.array([word.speaker or "" for word in words])
    scores = np.full(raw.shape, np.nan)
    for speaker in np.unique(speakers):
        own = speakers == speaker
        scores[own] = normalised(raw[own], _FEWEST_WORDS)
    return tuple(_emphasis(row) for row in scores)


def normalised(values: Floats, fewest: int) -> Floats:
    """Each column in standard deviations from its mean; NaN where there are fewer values, or all are the same."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    spread = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / np.maximum(count, 1))
    usable = (count >= fewest) & (spread > 1e-9)
    return np.where(usable, (values - mean) / np.where(usable, spread, 1.0), np.nan)


def _raw(word: Word, contours: Contours) -> tuple[float, float, float]:
    """Semitones, dB and the logarithm of frames per syllable; NaN for what is not known."""
    first, last = round(word.start / FRAME_SECONDS), round(word.end / FRAME_SECONDS)
    levels = contours.level[first:last]
    if not len(levels):
        return np.nan, np.nan, np.nan
    pitch = contours.pitch[first:last]
    pitch = pitch[~np.isnan(pitch)]
    reached = 12 * np.log2(np.percentile(pitch, _REACHED)) if len(pitch) >= _FEWEST_VOICED else np.nan
    return float(reached), float(np.percentile(levels, _REACHED)), float(np.log(len(levels) / syllables(word.text)))


def _emphasis(scores: Floats) -> WordEmphasis:
    known = scores[~np.isnan(scores)]
    pitch, energy, duration = (None if np.isnan(score) else round(float(score), 3) for score in scores)
    return WordEmphasis(
        emphasis=round(float(known.mean()), 3) if len(known) else None,
        pitch=pitch,
        energy=energy,
        duration=duration,
        reason=None if len(known) else "no length, or too few words of this speaker",
    )
