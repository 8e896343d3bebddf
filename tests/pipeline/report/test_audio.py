from pathlib import Path

import numpy as np
import pytest
import soundfile

from pipeline.ingest.record import Recording
from pipeline.records import SAMPLE_RATE, Attachment
from pipeline.report.audio import MOST_PEAKS, MOST_POINTS, outline, write_opus


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
