import numpy as np
import pytest

from pipeline.prosody.pitch import track_pitch
from tests.voices import RATE, glide, noise, silence, voice


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
def test_any_length(samples: int) -> None:
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
