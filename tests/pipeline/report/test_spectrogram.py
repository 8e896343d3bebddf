from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pipeline.records import SAMPLE_RATE
from pipeline.report.audio import COLUMNS_PER_SECOND, TOP_HERTZ, Spectrogram
from tests.pipeline.report.test_audio import recording, sine


def image(folder: Path, samples: np.ndarray, number: int = 0) -> np.ndarray:
    path = folder / "tile.webp"
    Spectrogram(recording(folder, samples)).write(number, path)
    return np.asarray(Image.open(path).convert("L"), dtype=float)


def test_a_tone_is_a_dark_line_at_its_frequency(tmp_path: Path) -> None:
    time = np.arange(2 * SAMPLE_RATE) / SAMPLE_RATE
    drawn = image(tmp_path, 0.3 * np.sin(2 * np.pi * 2000 * time))
    assert drawn.shape == (160, 2 * COLUMNS_PER_SECOND)
    darkest = np.argmin(drawn[:, 20:80].mean(axis=1))
    hertz = (1 - (darkest + 0.5) / len(drawn)) * TOP_HERTZ
    assert hertz == pytest.approx(2000, abs=50)
    assert drawn[darkest, 20:80].mean() < 30
    assert drawn[:40, 20:80].mean() > 200, "3.7 to 5 kHz are silent"


def test_a_sound_is_drawn_when_it_is_heard(tmp_path: Path) -> None:
    drawn = image(tmp_path, np.concatenate([np.zeros(SAMPLE_RATE), sine(0.5, 0.3), np.zeros(SAMPLE_RATE)]))
    dark = np.flatnonzero(drawn.min(axis=0) < 100) / COLUMNS_PER_SECOND
    assert (dark.min(), dark.max()) == (pytest.approx(1.0, abs=0.05), pytest.approx(1.5, abs=0.05))


def test_a_minute_each_and_all_alike(tmp_path: Path) -> None:
    """A quiet minute is lighter than a loud one: both are relative to the loudest sound."""
    samples = np.concatenate([sine(60, 0.5), sine(30, 0.005)])
    made = Spectrogram(recording(tmp_path, samples))
    assert made.tiles == 2
    loud, quiet = image(tmp_path, samples), image(tmp_path, samples, 1)
    assert quiet.shape[1] == 30 * COLUMNS_PER_SECOND
    within = slice(200, -200)
    assert quiet[:, within].min() - loud[:, within].min() == pytest.approx(255 * 40 / 70, abs=25)
