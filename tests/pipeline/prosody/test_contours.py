import numpy as np
import pytest

from pipeline.arrays import Samples
from pipeline.prosody import contours as module
from pipeline.prosody.contours import SILENCE_DB, Contours, contours
from tests.voices import RATE, coloured, glide, noise, silence, voice


def of(sound: Samples, **options: float) -> Contours:
    def read(start: float, end: float) -> Samples:
        return sound[round(start * RATE) : round(end * RATE)]

    chosen = {"floor": 50.0, "ceiling": 500.0, "threshold": 0.5} | options
    return contours(read, len(sound) / RATE, **chosen)[0]


def test_level_is_the_root_mean_square() -> None:
    time = np.arange(RATE) / RATE
    for level in (-3.0103, -20.0, -60.0):
        sine = (10 ** (level / 20) * np.sqrt(2) * np.sin(2 * np.pi * 200 * time)).astype(np.float32)
        assert of(sine).level[5:-5] == pytest.approx(level, abs=0.1)
    assert 10 * np.log10(np.mean(10 ** (of(noise(2.0, 0.1)).level / 10))) == pytest.approx(-20.0, abs=0.2)
    assert (of(silence(1.0)).level == SILENCE_DB).all()


@pytest.mark.parametrize("decibels", [0.0, -3.0, -6.0])
def test_slope_of_coloured_noise(decibels: float) -> None:
    assert of(coloured(4.0, decibels)).slope.mean() == pytest.approx(decibels, abs=0.4)


def test_slope_keeps_to_the_bandwidth() -> None:
    from scipy.signal import resample_poly

    telephone = resample_poly(resample_poly(coloured(4.0, -6.0), 1, 2), 2, 1).astype(np.float32)
    assert of(telephone).slope.mean() < -10
    assert of(telephone, bandwidth=4000.0).slope.mean() == pytest.approx(-6.0, abs=1.0)


def test_centroid_and_flux() -> None:
    tone = (0.1 * np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE)).astype(np.float32)
    found = of(np.concatenate([tone, silence(0.5)]))
    assert found.centroid[5:95] == pytest.approx(1000, abs=5)
    assert found.flux[5:95] == pytest.approx(0, abs=0.01)
    assert np.isnan(found.centroid[-10:]).all()
    assert np.isnan(found.slope[-10:]).all()
    assert of(noise(2.0)).centroid.mean() == pytest.approx(4000, abs=50)
    changing = of(np.concatenate([tone[:1600], 10 * noise(0.1, 0.01)] * 5))
    # frames overlap, so that no change is quite sudden
    assert 0.8 < changing.flux.max() < np.sqrt(2)


def test_centroid_is_torchaudios() -> None:
    import torch

    from pipeline.system.environment import import_torchaudio

    sound = voice(glide(100, 200, 1.0)) + noise(1.0, 0.01)
    centroid = import_torchaudio().functional.spectral_centroid
    theirs = centroid(torch.from_numpy(sound), RATE, 0, torch.hann_window(400), 512, 160, 400).numpy()
    assert of(sound).centroid[3:-3] == pytest.approx(theirs[3:-3], rel=1e-3)


def test_a_long_recording_is_as_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = np.concatenate([voice(glide(100, 200, 2.0), 2.0), silence(0.4), voice(150.0, 1.6)]) + noise(4.0, 1e-3)
    whole = of(sound)
    monkeypatch.setattr(module, "_BLOCK_FRAMES", 80)
    blocks = of(sound)
    assert len(whole.level) == len(blocks.level) == 401
    for name in ("level", "centroid", "slope", "flux"):
        assert getattr(blocks, name) == pytest.approx(getattr(whole, name), rel=1e-3, abs=1e-3)
    both = ~np.isnan(whole.pitch) & ~np.isnan(blocks.pitch)
    assert (np.isnan(whole.pitch) == np.isnan(blocks.pitch)).mean() > 0.98
    assert blocks.pitch[both] == pytest.approx(whole.pitch[both], rel=0.01)


def test_cycles_of_blocks_are_in_the_recordings_time(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = voice(120.0, 4.0)

    def read(start: float, end: float) -> Samples:
        return sound[round(start * RATE) : round(end * RATE)]

    monkeypatch.setattr(module, "_BLOCK_FRAMES", 100)
    _, found = contours(read, 4.0, floor=50.0, ceiling=500.0, threshold=0.5)
    assert len(found.start) == pytest.approx(4 * 120, abs=12)
    assert (np.diff(found.start) > 0).all()
    assert found.start.max() > 3.9


@pytest.mark.parametrize("samples", [1, 100, 160, 600, 1601])
def test_any_length(samples: int) -> None:
    found = of(voice(150.0)[:samples])
    arrays = found.arrays()
    assert {len(array) for array in arrays.values()} == {samples // 160 + 1}
    assert all(not np.isinf(array).any() for array in arrays.values())
