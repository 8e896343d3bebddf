from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.ingest.stage import IngestSettings, LevelMeter, ingest
from pipeline.records import SAMPLE_RATE, AudioFile
from tests.sounds import noise, sine, speech, write


def measured(samples: Samples, *cuts: int) -> LevelMeter:
    meter = LevelMeter()
    for block in np.split(samples, sorted(cuts)):
        meter.push(block)
    return meter


@pytest.mark.parametrize(("decibels", "loudness"), [(0, -3.01), (-20, -23.01), (-40, -43.01)])
def test_a_sine_of_997_hz_as_the_standard_defines_it(decibels: float, loudness: float) -> None:
    """ITU-R BS.1770: a 997 Hz sine at full scale in one channel has -3.01 LKFS."""
    samples = sine(5, frequency=997, peak=10 ** (decibels / 20))
    assert measured(samples).loudness() == pytest.approx(loudness, abs=0.1)


def test_speech_is_as_loud_as_pyloudnorm_says() -> None:
    from pyloudnorm import Meter
    from scipy.signal import resample_poly

    samples, rate = speech()
    resampled = resample_poly(samples, SAMPLE_RATE, rate).astype(np.float32)
    expected = Meter(SAMPLE_RATE).integrated_loudness(resampled)
    assert measured(resampled, 1234, 99_999).loudness() == pytest.approx(expected, abs=0.05)


def test_silence_between_speech_does_not_count() -> None:
    tone = sine(5, frequency=997)
    gaps = np.concatenate([tone, np.zeros(10 * SAMPLE_RATE, np.float32), tone])
    loudness = measured(tone).loudness()
    assert measured(gaps).loudness() == pytest.approx(loudness, abs=0.2)


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), np.zeros(32_000, np.float32), sine(0.3), 1e-6 * sine(2)])
def test_what_has_no_loudness(samples: Samples) -> None:
    assert measured(samples).loudness() is None


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 16_000), max_size=5))
def test_blocks_make_no_difference(cuts: list[int]) -> None:
    samples = noise(1)
    assert measured(samples, *cuts).loudness() == measured(samples).loudness()
    assert measured(samples, *cuts).signal_to_noise() == measured(samples).signal_to_noise()


def test_speech_over_noise() -> None:
    """Bursts with 20 dB more than what is between them."""
    bursts = np.concatenate(
        [noise(0.5, level=0.1, seed=seed) if seed % 2 else noise(0.5, level=0.01) for seed in range(20)]
    )
    assert measured(bursts).signal_to_noise() == pytest.approx(20, abs=0.5)


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), np.zeros(32_000, np.float32), noise(0.9)])
def test_what_has_no_noise_to_measure(samples: Samples) -> None:
    assert measured(samples).signal_to_noise() is None


@pytest.mark.parametrize("width", ["PCM_16", "PCM_24", "PCM_U8"])
def test_a_file_of_random_bytes_is_refused(tmp_path: Path, width: str) -> None:
    file = write(tmp_path / "corrupt.wav", np.zeros(SAMPLE_RATE * 2, np.float32), subtype=width)
    header = file.read_bytes()[:44]
    file.write_bytes(header + np.random.default_rng(0).bytes(file.stat().st_size - 44))
    with pytest.raises(RostrumError, match=r"corrupt.wav: holds random numbers, no sound"):
        ingest(AudioFile(path=file), settings=IngestSettings())


@pytest.mark.parametrize("samples", [noise(2), noise(2, level=1.0), sine(2, peak=1.0), np.ones(32_000, np.float32)])
def test_loud_noise_is_sound(tmp_path: Path, samples: Samples) -> None:
    file = write(tmp_path / "loud.wav", samples)
    assert ingest(AudioFile(path=file), settings=IngestSettings()).duration == 2.0
