"""The stage on a synthetic recording of a sample voice, silence, and a given RTTM."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline.arrays import Samples
from pipeline.diarize.stage import DiarizeSettings, Turns, assign_speakers, diarize, exclusive_turns, turns_record
from pipeline.ingest.stage import Recording
from pipeline.records import Turn, Word
from pipeline.records.corpus import GivenTurns, SpeakerCount
from pipeline.records.speech import Attachment
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


times = st.integers(0, 400).map(lambda tenths: tenths / 10)


@st.composite
def spans(draw: st.DrawFn) -> tuple[float, float]:
    start, end = sorted((draw(times), draw(times)))
    return start, end


words = st.lists(spans().map(lambda span: Word(text="w", start=span[0], end=span[1])), max_size=20)
turns = st.lists(
    st.tuples(spans(), st.sampled_from(["A", "B", "C", None])).map(
        lambda each: Turn(start=each[0][0], end=each[0][1], speaker=each[1])
    ),
    max_size=12,
)


def record(*found: Turn) -> Turns:
    exclusive = exclusive_turns(found)
    return Turns(turns=found, exclusive=exclusive, speakers=(), method="test")


def speakers(*spoken: tuple[float, float], turns: Turns, limit: float = 0.5) -> list[str | None]:
    found = assign_speakers([Word(text="w", start=start, end=end) for start, end in spoken], turns, limit)
    return [word.speaker for word in found]


DIALOGUE = record(Turn(start=1, end=3, speaker="A"), Turn(start=4, end=6, speaker="B"))


def test_a_word_inside_a_turn_is_its_speakers() -> None:
    assert speakers((1.2, 1.5), (4.0, 6.0), turns=DIALOGUE) == ["A", "B"]


def test_a_word_across_two_turns_is_the_speakers_who_has_more_of_it() -> None:
    assert speakers((2.0, 4.4), (2.9, 4.4), turns=DIALOGUE) == ["A", "B"]


def test_shares_of_several_turns_of_one_speaker_add_up() -> None:
    turns = record(
        Turn(start=0, end=1, speaker="A"), Turn(start=1, end=2.5, speaker="B"), Turn(start=2.5, end=3.5, speaker="A")
    )
    assert speakers((0, 3.5), turns=turns) == ["A"]


def test_a_word_in_a_gap_goes_to_the_nearest_within_the_limit() -> None:
    assert speakers((3.1, 3.3), (3.6, 3.9), (6.5, 7), (6.6, 7), turns=DIALOGUE) == ["A", "B", "B", None]


def test_a_word_without_length_is_found() -> None:
    assert speakers((1.5, 1.5), (3.2, 3.2), (9.0, 9.0), turns=DIALOGUE) == ["A", "A", None]


def test_turns_of_nobody_give_no_speaker() -> None:
    assert speakers((1, 2), turns=record(Turn(start=0, end=5))) == [None]
    assert speakers((1, 2), turns=record()) == [None]
    assert assign_speakers([], DIALOGUE, 0.5) == ()


@given(words, turns, st.sampled_from([0.0, 0.5, 3.0]))
def test_it_agrees_with_one_word_at_a_time(spoken: list[Word], found: list[Turn], limit: float) -> None:
    exclusive = [turn for turn in exclusive_turns(found) if turn.speaker is not None]
    for word, got in zip(spoken, assign_speakers(spoken, record(*found), limit), strict=True):
        assert got.model_copy(update={"speaker": None}) == word
        overlaps: dict[str | None, float] = {}
        for turn in exclusive:
            shared = min(word.end, turn.end) - max(word.start, turn.start)
            overlaps[turn.speaker] = overlaps.get(turn.speaker, 0) + max(0.0, shared)
        if overlaps and max(overlaps.values()) > 1e-6:
            assert overlaps[got.speaker] >= max(overlaps.values()) - 1e-6
            continue
        gaps = [(max(turn.start - word.end, word.start - turn.end, 0.0), turn.speaker) for turn in exclusive]
        nearest = min((gap for gap, _ in gaps), default=float("inf"))
        if nearest > limit + 1e-6:
            assert got.speaker is None
        elif nearest < limit - 1e-6:
            assert got.speaker in {speaker for gap, speaker in gaps if gap < nearest + 1e-6}


def test_who_has_the_floor_keeps_it() -> None:
    found = exclusive_turns(
        [
            Turn(start=0, end=5, speaker="A"),
            Turn(start=2, end=3, speaker="B"),
            Turn(start=4, end=7, speaker="B"),
        ]
    )
    assert found == (Turn(start=0, end=5, speaker="A"), Turn(start=5, end=7, speaker="B"))


def test_turns_are_cut_to_the_recording() -> None:
    found = turns_record([Turn(start=8, end=12, speaker="B"), Turn(start=1, end=2, speaker="A")], 10.0, "given")
    assert found.turns == (Turn(start=1, end=2, speaker="A"), Turn(start=8, end=10, speaker="B"))
    assert found.speakers == ("A", "B")
    assert turns_record([Turn(start=11, end=12)], 10.0, "given").turns == ()


@given(turns)
def test_exclusive_turns_cover_what_the_turns_cover_once(found: list[Turn]) -> None:
    exclusive = exclusive_turns(found)
    assert all(before.end <= after.start for before, after in zip(exclusive, exclusive[1:], strict=False))
    assert all(turn.end > turn.start for turn in exclusive)
    tenths = range(400)
    covered = {t for turn in found for t in tenths if turn.start <= t / 10 < turn.end}
    assert covered == {t for turn in exclusive for t in tenths if turn.start <= t / 10 < turn.end}
    for turn in exclusive:
        assert any(own.speaker == turn.speaker and own.start <= turn.start and turn.end == own.end for own in found)
