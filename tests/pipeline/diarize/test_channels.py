"""Two people with a microphone each, made of two sample voices that talk across one another."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Samples
from pipeline.diarize.channels import turns_of_channels
from pipeline.diarize.stage import DiarizeSettings, Turns, diarize
from pipeline.ingest.stage import Recording, ingest
from pipeline.records import SAMPLE_RATE, AudioFile, SpeakerCount, TimeSpan
from tests.sounds import SAMPLES, write

Record = Callable[[Samples], Recording]
# Who speaks when (channel, start, end): each but the first begins a second before the other ends.
TURNS = ((0, 1.0, 7.0), (1, 6.0, 12.0), (0, 11.0, 17.0), (1, 16.0, 22.0))
LEAK = 0.1  # -20 dB
SPEAKERS = DiarizeSettings(channels="speakers")


def voice(name: str) -> Samples:
    """A sample voice at 16 kHz, without the silence before it."""
    import soundfile
    from scipy.signal import resample_poly

    samples, rate = soundfile.read(SAMPLES / name, dtype="float32", frames=40 * 24_000)
    return np.asarray(resample_poly(samples, SAMPLE_RATE, rate)[SAMPLE_RATE:], dtype=np.float32)


def alone(*names: str) -> Samples:
    """What each says (samples, 2), each alone in a channel, with a little noise in both."""
    placed = np.random.default_rng(0).normal(0, 1e-4, (23 * SAMPLE_RATE, 2)).astype(np.float32)
    voices = [voice(name) for name in names]
    for channel, start, end in TURNS:
        first, length = round(start * SAMPLE_RATE), round((end - start) * SAMPLE_RATE)
        placed[first : first + length, channel] += voices[channel][first : first + length]
    return placed


@pytest.fixture(scope="module")
def interview() -> Samples:
    return alone("schools_pro_anna.ogg", "schools_con_david.mp3")


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return lambda samples: ingest(AudioFile(path=write(tmp_path / "interview.wav", samples)))


def heard_together(samples: Samples, leak: float = LEAK, gains: tuple[float, float] = (1.0, 1.0)) -> Samples:
    mixing = np.array([[1.0, leak], [leak, 1.0]]) * gains
    return np.asarray(samples @ mixing, dtype=np.float32)


def seconds(turns: Turns, channel: int, start: float, end: float) -> float:
    """How long the speaker of a channel speaks in this span."""
    span = TimeSpan(start=start, end=end)
    return sum(turn.overlap(span) for turn in turns.turns if turn.speaker == turns.channels[channel])


@pytest.mark.parametrize("gains", [(1.0, 1.0), (0.1, 1.0)], ids=["equal", "one far quieter"])
def test_each_voice_has_the_turns_of_its_own_channel(
    record: Record, interview: Samples, gains: tuple[float, float]
) -> None:
    turns = diarize(None, record(heard_together(interview, gains=gains)), None)
    assert turns.channels == ("S1", "S2")
    for channel, start, end in TURNS:
        assert seconds(turns, channel, start, end) > 0.75 * (end - start), "pauses in speech are no speech"
        assert seconds(turns, 1 - channel, start + 1.3, end - 1.3) < 0.1, "the other is heard in this channel"


def test_both_are_heard_while_they_speak_at_once(record: Record, interview: Samples) -> None:
    turns = diarize(None, record(heard_together(interview)), None)
    for _, start, _ in TURNS[1:]:
        assert all(seconds(turns, channel, start, start + 1) > 0.5 for channel in (0, 1))


def test_a_third_microphone_that_nobody_uses_has_no_speaker(record: Record, interview: Samples) -> None:
    faint = 0.05 * interview.sum(axis=1, keepdims=True)
    recording = record(np.concatenate([heard_together(interview), faint], axis=1))
    turns = turns_of_channels(recording, SPEAKERS, None)
    assert turns
    assert turns.channels == ("S1", "S2", None)


def test_a_stereo_recording_of_a_room_is_mixed(record: Record, interview: Samples) -> None:
    assert turns_of_channels(record(heard_together(interview, leak=0.7)), DiarizeSettings(), None) is None


def test_one_voice_on_two_channels_is_one_speaker_unless_the_settings_say_otherwise(record: Record) -> None:
    recording = record(heard_together(alone("schools_pro_anna.ogg", "schools_pro_anna.ogg")))
    assert turns_of_channels(recording, DiarizeSettings(), None) is None
    turns = turns_of_channels(recording, SPEAKERS, None)
    assert turns
    assert turns.speakers == ("S1", "S2")


def test_more_people_than_channels_are_told_apart_by_their_voices(record: Record, interview: Samples) -> None:
    recording = record(heard_together(interview))
    assert turns_of_channels(recording, DiarizeSettings(), 3) is None
    assert turns_of_channels(recording, DiarizeSettings(), 2) is not None


@pytest.mark.parametrize("how", [DiarizeSettings(channels="mix", mode="vad"), DiarizeSettings(mode="off")])
def test_channels_can_be_mixed(record: Record, interview: Samples, how: DiarizeSettings) -> None:
    assert diarize(None, record(heard_together(interview)), None, settings=how).channels == ()


def test_one_person_with_two_microphones_is_one_person(record: Record, interview: Samples) -> None:
    turns = diarize(SpeakerCount(count=1), record(heard_together(interview)), None)
    assert (turns.channels, turns.method) == ((), "voice activity")


def test_a_silent_recording_has_no_turns(record: Record) -> None:
    silent = np.random.default_rng(0).normal(0, 1e-3, (3 * SAMPLE_RATE, 2)).astype(np.float32)
    turns = turns_of_channels(record(silent), SPEAKERS, None)
    assert turns
    assert turns.turns == ()
    assert turns.channels == (None, None)
