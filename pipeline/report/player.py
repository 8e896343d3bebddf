"""The player of a speech's page: the recording with its tracks on one time axis, and their data."""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline.diarize import Turns
from pipeline.ingest import Recording
from pipeline.prosody import Prosody
from pipeline.report.audio import MOST_POINTS, TILE_SECONDS, TOP_HERTZ, outline, tiles
from pipeline.report.page import Panel, script
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.transcribe import Transcript
from pipeline.transcribe.show import TranscriptView

_PITCH_STEP = 0.02


def player_data(data: ReportData, speech: str, transcript: TranscriptView | None) -> str:
    """The script that sets `rostrum.speech`: times of words and sentences, turns, waveform, pitch and level."""
    recording = data.of_speech(Recording, speech)
    assert recording is not None
    recognised, turns = data.of_speech(Transcript, speech), data.of_speech(Turns, speech)
    words = recognised.words if recognised else ()
    sentences = transcript.sentences if transcript else ()
    drawn = outline(recording)
    content: dict[str, Any] = {
        "duration": round(recording.duration, 3),
        "words": {"start": [round(word.start, 2) for word in words], "end": [round(word.end, 2) for word in words]},
        "sentences": [round(sentence.start, 2) for sentence in sentences],
        "spectrogram": {
            "seconds": TILE_SECONDS,
            "top": TOP_HERTZ,
            "tiles": [f"../{data.links[speech].tile(number)}" for number in range(tiles(recording.duration))],
        },
        "wave": {"step": drawn.peak_step, "peaks": base64.b64encode(bytes(drawn.peaks)).decode()},
        "level": {"step": drawn.level_step, "values": drawn.level},
        "pitch": _pitch(data.of_speech(Prosody, speech)),
        **_turns(turns),
        "mentions": [
            [round(sentence.start, 2), round(sentence.end, 2), note.mention.stance]
            for sentence in sentences
            for note in sentence.notes
        ],
    }
    return script("speech", content)


def _turns(turns: Turns | None) -> dict[str, Any]:
    if turns is None:
        return {"speakers": [], "turns": []}
    named = [(turn, turns.speakers.index(turn.speaker)) for turn in turns.turns if turn.speaker is not None]
    return {
        "speakers": list(turns.speakers),
        "turns": [[round(turn.start, 2), round(turn.end, 2), voice] for turn, voice in named],
    }


def _pitch(prosody: Prosody | None) -> dict[str, Any] | None:
    """The pitch contour in hertz, 0 where there is no voice, with as many points as are drawn."""
    if prosody is None:
        return None
    with np.load(prosody.contours.path, allow_pickle=False) as contours:
        times, hertz = contours["time"], contours["pitch"]
    if len(times) < 2:
        return None
    frame = float(times[1] - times[0])
    every = max(round(_PITCH_STEP / frame), -(-len(hertz) // MOST_POINTS))
    return {"step": round(every * frame, 4), "values": [int(each) for each in np.nan_to_num(hertz[::every]).round()]}


@dataclass(frozen=True)
class Player:
    """The recording's file, its length in seconds, and the names of the tracks that can be drawn."""

    audio: str
    duration: float
    lanes: tuple[str, ...]


def _view(data: ReportData, facts: SpeechFacts) -> Player | None:
    audio = data.links[facts.speech.id].audio
    if audio is None or facts.duration is None:
        return None
    lanes = {
        "waveform": True,
        "spectrogram": True,
        "pitch": "prosody" in facts.stages and facts.stages["prosody"].skipped is None,
        "level": True,
        "words": bool(facts.words),
    }
    return Player(audio, facts.duration, tuple(name for name, is_there in lanes.items() if is_there))


PANEL = Panel(view=_view)
