"""The recording to hear, with its tracks on one axis of time."""

from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import Prosody, Turns


@dataclass(frozen=True)
class Player:
    """The recording's file, its length in seconds, and the names of its tracks."""

    audio: str
    duration: float
    tracks: str
    title = ""


def _view(data: ReportData, facts: SpeechFacts) -> Player | None:
    audio = data.links[facts.speech.id].audio
    if audio is None or facts.duration is None:
        return None
    pitch = data.run.of_speech(Prosody, facts.speech.id) is not None
    turns = data.run.of_speech(Turns, facts.speech.id)
    tracks = ["Waveform", *(["pitch"] if pitch else []), "level", *(["speakers"] if turns and turns.speakers else [])]
    return Player(audio, facts.duration, ", ".join(tracks))


PANEL = Panel(place=20, view=_view)
