"""The pitch of a voice, its cycles and its harmonicity."""

import numpy as np
import pytest

from pipeline.arrays import Floats, Samples
from pipeline.prosody.voice import Cycles, cycles, harmonicity, track_pitch
from tests.voices import RATE, glide, noise, silence, voice, vowel


@pytest.mark.parametrize("hertz", [70.0, 110.0, 180.0, 233.1, 400.0])
def test_a_steady_voice(hertz: float) -> None:
    found = track_pitch(voice(hertz)).hertz
    assert len(found) == 101
    assert found[5:-5] == pytest.approx(hertz, rel=0.01)


def test_a_glide_is_followed_in_time() -> None:
    pitch = glide(100, 200, 2.0)
    found = track_pitch(voice(pitch, 2.0)).hertz[10:-10]
    assert np.abs(12 * np.log2(found / pitch[::160][10 : 10 + len(found)])).max() < 0.3


def test_no_voice_no_pitch() -> None:
    for sound in (silence(1), noise(1), noise(1, 1e-5)):
        assert np.isnan(track_pitch(sound).hertz).all()
    sound = np.concatenate([voice(150, 0.5), silence(0.5), voice(200, 0.5)])
    voiced = ~np.isnan(track_pitch(sound).hertz)
    assert voiced[5:45].all()
    assert not voiced[55:95].any()
    assert voiced[105:145].all()


@pytest.mark.parametrize("samples", [0, 1, 159, 160, 511, 512, 513, 700, 5000])
def test_pitch_of_any_length(samples: int) -> None:
    found = track_pitch(voice(150.0, 1.0)[:samples])
    assert len(found.hertz) == len(found.confidence) == samples // 160 + 1


def test_level_does_not_matter() -> None:
    loud, quiet = (track_pitch(voice(150.0, 1.0, level)).hertz for level in (0.1, 0.0003))
    assert np.allclose(loud[5:-5], quiet[5:-5], rtol=1e-3)


def test_pieces_are_as_the_whole() -> None:
    from swift_f0 import SwiftF0

    sound = voice(glide(90, 300, 9.0), 9.0, 0.2)
    sound *= np.float32(0.5 / np.abs(sound).max())
    whole = SwiftF0(threads=1).detect(sound, RATE, 50.0, 500.0)
    found = track_pitch(sound)
    at = np.round(whole.timestamps[::5] * 100).astype(int)
    assert np.allclose(found.hertz[at[at < len(found.hertz)]][2:-2], whole.pitch_hz[::5][2:-2], rtol=1e-6)


def test_range() -> None:
    found = track_pitch(voice(400.0), ceiling=200.0).hertz
    assert not (found > 200.0).any()


def irregular(hertz: float, jitter: float, shimmer: float) -> tuple[Samples, float, float]:
    """A vowel of two seconds, and its jitter and shimmer as the definitions have them."""
    random = np.random.default_rng(7)
    count = int(2 * hertz)
    lengths = (1 + jitter * random.standard_normal(count)) / hertz
    amplitudes = 1 + shimmer * random.standard_normal(count)
    return vowel(list(lengths), list(amplitudes)), local(lengths), local(amplitudes)


def local(values: Floats) -> float:
    return float(np.abs(np.diff(values)).mean() / values.mean())


def measured(found: Cycles) -> tuple[float, float]:
    return (
        float(np.abs(found.length - found.next_length).mean() / found.length.mean()),
        float(np.abs(found.level - found.next_level).mean() / found.level.mean()),
    )


def pitch_of(sound: Samples, hertz: float) -> Floats:
    return np.full(len(sound) // 160 + 1, hertz)


@pytest.mark.parametrize("hertz", [90.0, 120.0, 170.0, 210.0])
@pytest.mark.parametrize(("jitter", "shimmer"), [(0.0, 0.0), (0.005, 0.03), (0.01, 0.05), (0.02, 0.1)])
def test_jitter_and_shimmer(hertz: float, jitter: float, shimmer: float) -> None:
    sound, true_jitter, true_shimmer = irregular(hertz, jitter, shimmer)
    found_jitter, found_shimmer = measured(cycles(sound, pitch_of(sound, hertz)))
    assert found_jitter == pytest.approx(true_jitter, rel=0.2, abs=0.003)
    assert found_shimmer == pytest.approx(true_shimmer, rel=0.2, abs=0.006)


def test_every_cycle_is_found_once() -> None:
    sound, *_ = irregular(120.0, 0.01, 0.05)
    found = cycles(sound, pitch_of(sound, 120.0))
    assert len(found.start) == pytest.approx(2 * 120, abs=4)
    assert (np.diff(found.start) > 0.7 / 120).all()
    assert found.length.mean() == pytest.approx(1 / 120, rel=0.005)


def test_upside_down_is_the_same_voice() -> None:
    sound, *_ = irregular(120.0, 0.01, 0.05)
    upright, reverse = (measured(cycles(each, pitch_of(sound, 120.0))) for each in (sound, -sound))
    assert upright == pytest.approx(reverse, rel=0.05)


def test_stretches_are_apart() -> None:
    part = voice(150.0, 0.5)
    sound = np.concatenate([part, silence(0.5), part])
    pitch = pitch_of(sound, 150.0)
    pitch[50:100] = np.nan
    found = cycles(sound, pitch)
    assert not ((found.start > 0.5) & (found.start < 1.0)).any()
    assert found.length.max() < 1.05 / 150


@pytest.mark.parametrize("hertz", [85.0, 120.0, 220.0])
@pytest.mark.parametrize("ratio", [0.0, 10.0, 20.0, 30.0])
def test_harmonicity_is_the_known_ratio(hertz: float, ratio: float) -> None:
    tone = voice(hertz, 1.0, level=0.1)
    found = harmonicity(tone + noise(1.0, 0.1 * 10 ** (-ratio / 20)), pitch_of(tone, hertz))
    assert np.mean(found[5:-5]) == pytest.approx(ratio, abs=1.0)


def test_a_pitch_that_is_a_little_off_does_not_matter() -> None:
    sound = voice(120.0) + noise(1.0, 0.01)
    exact, off = (harmonicity(sound, pitch_of(sound, hertz))[5:-5].mean() for hertz in (120.0, 122.0))
    assert off == pytest.approx(exact, abs=0.2)


def test_without_a_voice() -> None:
    sound = noise(0.5)
    unvoiced = np.full(51, np.nan)
    assert all(len(values) == 0 for values in cycles(sound, unvoiced))
    assert np.isnan(harmonicity(sound, unvoiced)).all()


@pytest.mark.parametrize("samples", [1, 160, 400, 1000])
def test_any_length(samples: int) -> None:
    sound = voice(150.0)[:samples]
    pitch = pitch_of(sound, 150.0)
    assert len(harmonicity(sound, pitch)) == len(pitch)
    assert all(np.isfinite(values).all() for values in cycles(sound, pitch))


def test_digital_silence_that_was_taken_for_a_voice() -> None:
    pitch = pitch_of(silence(0.5), 100.0)
    assert np.isnan(harmonicity(silence(0.5), pitch)).all()
    assert all(np.isfinite(values).all() for values in cycles(silence(0.5), pitch))


def test_beside_praat() -> None:
    parselmouth = pytest.importorskip("parselmouth")
    sound, *_ = irregular(120.0, 0.01, 0.05)
    sound = sound + noise(len(sound) / RATE, 0.005)
    praat = parselmouth.Sound(sound.astype(np.float64), RATE)
    points = parselmouth.praat.call(praat, "To PointProcess (periodic, cc)", 60, 500)
    jitter = parselmouth.praat.call(points, "Get jitter (local)", 0, 0, 0.0001, 0.02, 1.3)
    shimmer = parselmouth.praat.call([praat, points], "Get shimmer (local)", 0, 0, 0.0001, 0.02, 1.3, 1.6)
    found_jitter, found_shimmer = measured(cycles(sound, pitch_of(sound, 120.0)))
    assert found_jitter == pytest.approx(jitter, rel=0.15)
    assert found_shimmer == pytest.approx(shimmer, rel=0.15)
    steady = voice(120.0) + noise(1.0, 0.01)
    harmonic = parselmouth.Sound(steady.astype(np.float64), RATE).to_harmonicity_ac(0.01, 60, 0.1, 4.5)
    praat_hnr = np.mean(harmonic.values[harmonic.values > -100])
    assert harmonicity(steady, pitch_of(steady, 120.0))[5:-5].mean() == pytest.approx(praat_hnr, abs=1.0)
