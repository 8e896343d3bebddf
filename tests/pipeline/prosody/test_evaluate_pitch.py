import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.cli.evaluate import evaluate as command
from pipeline.errors import RostrumError
from pipeline.prosody.evaluate_pitch import Contour, Counts, at, count, evaluate, rates, read
from tests.sounds import write
from tests.voices import glide, silence, voice


def contour(*hertz: float) -> Contour:
    return Contour(np.arange(len(hertz)) * 0.015, np.array(hertz, dtype=np.float64))


def test_counts_by_hand() -> None:
    """Of six frames: one right, one 10 % and one 50 % off, one voice missed, one made up, one silence."""
    found = count(contour(100, 110, 150, 0, 100, 0), np.array([100.0, 100, 100, 100, 0, 0]))
    assert found[:5] == (6, 3, 1, 1, 1)
    figures = rates([found])
    assert figures["gpe"] == pytest.approx(1 / 3)
    assert figures["bias"] == pytest.approx(0.05)
    assert figures["fine_error"] == pytest.approx(0.05)
    assert figures["voicing_error"] == pytest.approx(2 / 6)
    assert figures["missed_voice"] == figures["false_voice"] == pytest.approx(1 / 6)


def test_exactly_a_fifth_off_is_no_gross_error() -> None:
    assert count(contour(120, 121), np.array([100.0, 100.0])).gross == 1


def test_rates_are_of_all_frames_together() -> None:
    few, many = Counts(frames=10, both_voiced=10, gross=10), Counts(frames=90, both_voiced=90)
    assert rates([few, many])["gpe"] == pytest.approx(0.1)


def test_without_a_voiced_frame_there_is_no_rate() -> None:
    figures = rates([count(contour(0, 0), np.zeros(2))])
    assert figures["gpe"] is None
    assert figures["fine_error"] is None
    assert figures["voicing_error"] == 0


def test_a_contour_between_its_frames() -> None:
    sparse = Contour(np.array([0.0, 0.1, 0.2, 0.3]), np.array([100.0, 200.0, 0.0, 0.0]))
    found = at(sparse, np.array([0.0, 0.05, 0.1, 0.14, 0.16, 0.3, 0.5]))
    assert found == pytest.approx([100, np.sqrt(2) * 100, 200, 200, 0, 0, 0])


@pytest.fixture
def utterances(tmp_path: Path) -> Path:
    for number, (low, high) in enumerate(((100, 140), (220, 180))):
        hertz = glide(low, high, 1.0)
        write(tmp_path / f"u{number}.wav", np.concatenate([voice(hertz), silence(0.5)]))
        reference = np.concatenate([hertz[::240], np.zeros(33)])
        (tmp_path / f"u{number}.f0ref").write_text("\n".join(f"{each:.3f}" for each in reference))
    return tmp_path


def test_known_glides(utterances: Path) -> None:
    rows = {row["method"]: row for row in evaluate(utterances).rows}
    ours = rows["rostrum (swift-f0)"]
    assert ours["gpe"] == 0
    assert ours["fine_error"] == pytest.approx(0, abs=0.01)
    assert ours["voicing_error"] == pytest.approx(0, abs=0.05)
    assert rows["always 150 Hz"]["gpe"] is not None
    assert rows["always 150 Hz"]["missed_voice"] == 0


def test_the_command(utterances: Path) -> None:
    result = CliRunner().invoke(command, ["pitch", "--data", str(utterances), "--test", str(utterances), "--json"])
    found = json.loads(result.stdout)
    assert found["name"] == "pitch"
    assert found["rows"][0]["method"] == "rostrum (swift-f0)"


def test_what_cannot_be_measured(utterances: Path) -> None:
    (utterances / "u0.f0ref").write_text("100\nhigh\n")
    with pytest.raises(RostrumError, match="u0.f0ref: must have one number per line"):
        read(utterances)
    (utterances / "u0.f0ref").unlink()
    with pytest.raises(RostrumError, match="has no u0.f0ref beside it"):
        read(utterances)
    with pytest.raises(RostrumError, match="no .wav files"):
        read(utterances / "none")
