"""Pitch trackers: ours, its peers where they are installed, and a constant."""

import functools
from collections.abc import Callable, Mapping
from importlib.util import find_spec

import numpy as np

from pipeline.arrays import Samples
from pipeline.evaluation.pitch.scoring import Contour

FLOOR, CEILING = 60.0, 500.0

Tracker = Callable[[Samples, int], Contour]


def trackers() -> Mapping[str, Tracker]:
    """Ours, its peers if installed, and a constant that all must beat. Each has run once before it is timed."""
    found: dict[str, Tracker] = {"rostrum (swift-f0)": _ours}
    if find_spec("parselmouth"):
        found["Praat, autocorrelation"] = functools.partial(_praat, floor=FLOOR, ceiling=CEILING)
        found["Praat, autocorrelation, its own 75 to 600 Hz"] = functools.partial(_praat, floor=75.0, ceiling=600.0)
    if find_spec("librosa"):
        found["pYIN (librosa)"] = _pyin
    found["torchaudio detect_pitch_frequency"] = _torchaudio
    found["always 150 Hz"] = _constant
    warm = np.zeros(16_000, dtype=np.float32)
    for tracker in found.values():
        tracker(warm, 16_000)
    return found


def _ours(samples: Samples, rate: int) -> Contour:
    from pipeline.audio.decode import Resampler
    from pipeline.audio.voice.pitch import HOP, track_pitch
    from pipeline.records import SAMPLE_RATE

    resampler = Resampler(rate)
    pitch = track_pitch(np.concatenate([resampler.push(samples), resampler.finish()]), floor=FLOOR, ceiling=CEILING)
    return Contour(np.arange(len(pitch.hertz)) * HOP / SAMPLE_RATE, np.nan_to_num(pitch.hertz))


def _praat(samples: Samples, rate: int, *, floor: float, ceiling: float) -> Contour:
    import parselmouth

    sound = parselmouth.Sound(samples.astype(np.float64), rate)
    pitch = sound.to_pitch_ac(time_step=0.01, pitch_floor=floor, pitch_ceiling=ceiling)
    return Contour(pitch.xs(), pitch.selected_array["frequency"])


def _pyin(samples: Samples, rate: int) -> Contour:
    import librosa

    hop = rate // 100
    hertz, *_ = librosa.pyin(samples, fmin=FLOOR, fmax=CEILING, sr=rate, frame_length=2048, hop_length=hop)
    return Contour(np.arange(len(hertz)) * hop / rate, np.nan_to_num(hertz))


def _torchaudio(samples: Samples, rate: int) -> Contour:
    """Torchaudio's tracker. It finds a pitch in every frame. Its times are beginnings of frames; middles are used."""
    import torch

    from pipeline.system.torchaudio import import_torchaudio

    detect = import_torchaudio().functional.detect_pitch_frequency
    hertz = detect(torch.from_numpy(samples), rate, frame_time=0.01, freq_low=FLOOR, freq_high=CEILING).numpy()
    middles = (np.arange(len(hertz), dtype=np.float64) + 0.5) * 0.01
    return Contour(middles, hertz.astype(np.float64))


def _constant(samples: Samples, rate: int) -> Contour:
    times = np.asarray(np.arange(0, len(samples) / rate, 0.01), dtype=np.float64)
    return Contour(times, np.full(len(times), 150.0))
