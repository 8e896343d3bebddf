from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from pipeline.ingest.stage import Recording
from pipeline.records import SAMPLE_RATE, Attachment
from pipeline.report.audio import (
    COLUMNS_PER_SECOND,
    MOST_PEAKS,
    MOST_POINTS,
    TOP_HERTZ,
    Spectrogram,
    outline,
    write_opus,
)


def recording(folder: Path, samples: np.ndarray) -> Recording:
    path = folder / "a.flac"
    soundfile.write(path, samples, SAMPLE_RATE)
    return Recording(
        audio=Attachment.of(path),
        duration=len(samples) / SAMPLE_RATE,
        source_sha256="",
        source_rate=SAMPLE_RATE,
        source_channels=1,
        loudness_lufs=None,
        clipped_share=0.0,
        snr_db=None,
    )


def sine(seconds: float, height: float) -> np.ndarray:
    return height * np.sin(2 * np.pi * 200 * np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE)


def test_opus_is_small_and_has_the_same_length(tmp_path: Path) -> None:
    target = tmp_path / "a.ogg"
    write_opus(recording(tmp_path, sine(70.0, 0.3)), target)
    assert target.stat().st_size < 70 * 6000
    samples, rate = soundfile.read(target)
    assert len(samples) / rate == pytest.approx(70.0, abs=0.05)
    assert np.sqrt((samples**2).mean()) == pytest.approx(0.3 / np.sqrt(2), rel=0.1)


def test_peaks_and_level(tmp_path: Path) -> None:
    """A sine of height h has a power of h squared over two: -9.03 dB for 0.5."""
    found = outline(recording(tmp_path, np.concatenate([sine(2.0, 0.5), sine(2.0, 0.05), np.zeros(SAMPLE_RATE)])))
    assert (len(found.peaks), len(found.level)) == (500, 125)
    assert found.peaks[40] == 100
    assert found.peaks[240] == 10
    assert (found.level[10], found.level[60], found.level[110]) == (-9, -29, -60)


def test_hours_have_no_more_points_than_are_drawn(tmp_path: Path) -> None:
    found = outline(recording(tmp_path, np.zeros(SAMPLE_RATE * 60 * 40)))
    assert len(found.peaks) <= MOST_PEAKS
    assert len(found.level) <= MOST_POINTS
    assert len(found.peaks) * found.peak_step == pytest.approx(2400, rel=0.01)
    assert len(found.level) * found.level_step == pytest.approx(2400, rel=0.01)


# The spectrogram.


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
