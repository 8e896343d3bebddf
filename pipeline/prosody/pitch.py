"""The pitch of a voice, every 10 ms, and the eGeMAPS features of openSMILE."""

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline.arrays import Floats, Floats32, Samples
from pipeline.errors import RostrumError
from pipeline.records import SAMPLE_RATE

# The pitch of a voice, every 10 ms: SwiftF0 (Nieradzik 2025), whose model is part of its package.
#
# It was chosen by measurement: docs/prosody.md has it beside Praat, pYIN and torchaudio on speech with a laryngograph.

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
    found = _detect(_raised(samples), floor, ceiling)
    voiced = found.confidence >= threshold
    # The model's frames are 16 ms apart. In between, pitch moves evenly in semitones; a voice is where it is in the
    # nearer of two frames, so that no pitch is made up between a voiced and an unvoiced one.
    position = np.arange(frames) * (HOP / SAMPLE_RATE)
    nearest = np.searchsorted((found.timestamps[1:] + found.timestamps[:-1]) / 2, position)
    before = np.searchsorted(found.timestamps, position, side="right") - 1
    after = np.minimum(before + 1, len(voiced) - 1)
    logs = np.log(found.pitch_hz)
    between = np.interp(position, found.timestamps, logs)
    hertz = np.exp(np.where(voiced[before] & voiced[after], between, logs[nearest]))
    return Pitch(np.where(voiced[nearest], hertz, np.nan), found.confidence[nearest])


def _detect(samples: Samples, floor: float, ceiling: float) -> Any:
    """The model's own frames. It is handed a few seconds at a time, which is a third faster than half a minute."""
    from swift_f0 import concat

    stream = _detector().stream(floor, ceiling)
    pieces = range(0, len(samples), _PIECE)
    found = [stream.push(samples[start : start + _PIECE], SAMPLE_RATE) for start in pieces]
    return concat([*found, stream.flush()])


def _raised(samples: Samples) -> Samples:
    """The samples, amplified if the model would take them for silence."""
    peak = float(np.abs(samples).max())
    return samples * np.float32(_PEAK / peak) if _SILENCE < peak < _PEAK else samples


@functools.cache
def _detector() -> Any:
    """One per process; it may be used from several threads."""
    from swift_f0 import SwiftF0

    return SwiftF0(threads=1)


# The extended Geneva Minimalistic Acoustic Parameter Set, by openSMILE.
#
# openSMILE is free for research and personal use only. So it is not installed with rostrum.


def egemaps(
    read: Callable[[float, float], Samples], spans: Sequence[tuple[float, float]]
) -> tuple[list[str], Floats32]:
    """The names of the 88 functionals, and a row of them for each (start, end); NaN where one is too short."""
    try:
        import opensmile
    except ImportError as error:
        raise RostrumError(
            "prosody.egemaps=true needs openSMILE: pip install opensmile (its licence is free for research only)"
        ) from error
    smile = opensmile.Smile(
        feature_set=opensmile.FeatureSet.eGeMAPSv02, feature_level=opensmile.FeatureLevel.Functionals
    )
    rows = np.full((len(spans), len(smile.feature_names)), np.nan, dtype=np.float32)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Segment too short")
        for row, (start, end) in zip(rows, spans, strict=True):
            row[:] = smile.process_signal(read(start, end), SAMPLE_RATE).to_numpy()[0]
    return list(smile.feature_names), rows
