"""The stage on a synthetic recording of a sample voice, silence, and a given RTTM."""

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from pipeline.arrays import Samples
from pipeline.diarize.record import Turns
from pipeline.diarize.stage import DiarizeSettings, diarize
from pipeline.ingest.record import Recording
from pipeline.records.base import Attachment
from pipeline.records.corpus import GivenTurns, SpeakerCount
from pipeline.records.speech import Turn
from pipeline.report.markdown import page
from tests.sounds import SPEECH, write
from tests.voices import noise, silence

ALONE = SpeakerCount(count=1)
UNKNOWN = None


def recording(path: Path, samples: Samples, loudness: float | None = -23.0) -> Recording:
    write(path, samples)
    return Recording(
        audio=Attachment.of(path),
        duration=len(samples) / 16_000,
        source_sha256="",
        source_rate=16_000,
        source_channels=1,
        loudness_lufs=loudness,
        clipped_share=0.0,
        snr_db=None,
    )


@pytest.fixture(scope="module")
def talk() -> Samples:
    """Two seconds of silence, eight of speech, two of silence."""
    import soundfile
    from scipy.signal import resample_poly

    samples, rate = soundfile.read(SPEECH, dtype="float32", stop=8 * 24_000)
    speech = resample_poly(samples, 16_000, rate).astype(np.float32)
    return np.concatenate([silence(2), speech, silence(2)])


@pytest.fixture
def recorded(tmp_path: Path, talk: Samples) -> Recording:
    return recording(tmp_path / "talk.wav", talk)


def test_one_speaker_is_looked_for_by_voice_activity(recorded: Recording) -> None:
    found = diarize(ALONE, recorded, None, settings=DiarizeSettings())
    assert found.method == "voice activity"
    assert {turn.speaker for turn in found.turns} == {None}, "a name can be filled in later"
    assert found.turns == found.exclusive
    assert 2.0 < found.turns[0].start < 3.0
    assert 9.0 < found.turns[-1].end < 10.5


def test_it_says_how_far_it_is(recorded: Recording) -> None:
    told: list[tuple[float, str]] = []
    diarize(ALONE, recorded, None, settings=DiarizeSettings(), progress=lambda *each: told.append(each))
    assert told == [(0.0, "speech activity")]


def test_voice_activity_of_an_unknown_speaker(recorded: Recording) -> None:
    found = diarize(UNKNOWN, recorded, None, settings=DiarizeSettings(mode="vad"))
    assert found.speakers == ()
    assert {turn.speaker for turn in found.turns} == {None}


def test_a_quiet_recording_is_raised(tmp_path: Path, talk: Samples, recorded: Recording) -> None:
    quiet = recording(tmp_path / "quiet.wav", talk * np.float32(0.02), loudness=-57.0)
    loud, soft = (diarize(ALONE, each, None, settings=DiarizeSettings()) for each in (recorded, quiet))
    assert sum(turn.end - turn.start for turn in soft.turns) == pytest.approx(
        sum(turn.end - turn.start for turn in loud.turns), rel=0.1
    )


def test_off_is_one_turn(recorded: Recording) -> None:
    found = diarize(ALONE, recorded, None, settings=DiarizeSettings(mode="off"))
    assert found.turns == (Turn(start=0.0, end=12.0),)


def test_given_turns_are_taken_unless_told_not_to(recorded: Recording) -> None:
    given = GivenTurns(turns=(Turn(start=3, end=30, speaker="B"), Turn(start=2, end=5, speaker="A")))
    found = diarize(UNKNOWN, recorded, given, settings=DiarizeSettings())
    assert found.method == "given"
    assert found.speakers == ("A", "B")
    assert found.turns[1] == Turn(start=3, end=12, speaker="B")
    assert found.exclusive == (Turn(start=2, end=5, speaker="A"), Turn(start=5, end=12, speaker="B"))
    ignored = diarize(ALONE, recorded, given, settings=DiarizeSettings(use_given=False))
    assert ignored.method == "voice activity"


@pytest.mark.parametrize("samples", [silence(2), noise(2.0, 0.05), silence(0.01)], ids=["silence", "noise", "a moment"])
def test_nobody_speaks(tmp_path: Path, samples: Samples) -> None:
    found = diarize(ALONE, recording(tmp_path / "x.wav", samples, None), None, settings=DiarizeSettings())
    assert found.turns == found.exclusive == found.speakers == ()
    assert "Nobody speaks" in page("diarize", found)


@pytest.mark.parametrize("chosen", [{"speakers": 2, "min_speakers": 1}, {"min_speakers": 3, "max_speakers": 2}])
def test_contradicting_settings(chosen: dict[str, int]) -> None:
    with pytest.raises(ValidationError, match="speakers"):
        DiarizeSettings.model_validate(chosen)


def test_the_models_are_those_that_may_be_used() -> None:
    assert diarize.model is not None
    assert set(diarize.model(DiarizeSettings(mode="off"))) == set()
    assert set(diarize.model(DiarizeSettings(mode="vad"))) == {"silero-vad"}
    assert set(diarize.model(DiarizeSettings())) == {"silero-vad", "segmentation-3.0", "campplus"}


def test_the_page_has_a_lane_per_speaker() -> None:
    turns = (Turn(start=0, end=30, speaker="A: <b>"), Turn(start=30, end=60, speaker="B"))
    text = page("diarize", Turns(turns=turns, exclusive=turns, speakers=("A: <b>", "B"), method="given"))
    lanes = [line for line in text.splitlines() if "\u2588" in line]
    assert lanes == [
        "| A: &lt;b&gt; | " + 20 * "\u2588" + 20 * "\u2591" + " |",
        "| B | " + 20 * "\u2591" + 20 * "\u2588" + " |",
    ]
    assert "| speaker | 0:00 to 1:00 |" in text
    assert "| 0:30 | 1:00 | 30.00 | B |" in text
