"""Voices whose pitch, level and irregularity are known, because they are made here."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter, resample_poly

from pipeline.arrays import Samples

RATE = 16_000
# Wide ones: a cycle has died away when the next begins, so that each is heard as it was made.
_FORMANTS = ((700, 250), (1200, 300), (2600, 400))
_FINER = 8


def voice(hertz: float | NDArray[np.float64], seconds: float = 1.0, level: float = 0.1) -> Samples:
    """A buzz of this pitch, constant or given for each sample, whose root mean square is `level`."""
    pitch = np.broadcast_to(hertz, round(seconds * RATE))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    harmonics = range(1, int(7_000 / pitch.max()) + 1)
    sound = sum(np.cos(number * phase + number**2) / number for number in harmonics)
    return np.asarray(level * sound / np.sqrt(np.mean(np.square(sound))), dtype=np.float32)


def glide(low: float, high: float, seconds: float) -> NDArray[np.float64]:
    """A pitch for each sample that moves evenly in semitones."""
    return np.asarray(low * (high / low) ** np.linspace(0, 1, round(seconds * RATE)))


def vowel(lengths: Sequence[float], amplitudes: Sequence[float]) -> Samples:
    """An 'a' whose cycles have these lengths in seconds and these amplitudes."""
    starts = np.concatenate([[0.0], np.cumsum(lengths)])
    pulses = np.zeros(int(starts[-1] * RATE * _FINER) + 1)
    pulses[(starts[:-1] * RATE * _FINER).astype(int)] = amplitudes
    for frequency, width in _FORMANTS:
        radius = np.exp(-np.pi * width / (RATE * _FINER))
        angle = 2 * np.pi * frequency / (RATE * _FINER)
        pulses = lfilter([1], [1, -2 * radius * np.cos(angle), radius**2], pulses)
    sound = resample_poly(pulses, 1, _FINER)
    return np.asarray(0.8 * sound / np.abs(sound).max(), dtype=np.float32)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), dtype=np.float32)


def noise(seconds: float, level: float = 0.1, seed: int = 0) -> Samples:
    return np.asarray(np.random.default_rng(seed).normal(0, level, round(seconds * RATE)), dtype=np.float32)


def coloured(seconds: float, decibels_per_octave: float, seed: int = 0) -> Samples:
    """Noise whose power spectrum falls by so many dB an octave."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(0, 1, round(seconds * RATE)))
    frequencies = np.maximum(np.fft.rfftfreq(round(seconds * RATE), 1 / RATE), 20.0)
    sound = np.fft.irfft(spectrum * (frequencies / 1000) ** (decibels_per_octave / 6.0206))
    return np.asarray(0.1 * sound / sound.std(), dtype=np.float32)
