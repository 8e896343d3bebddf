"""The player of the recording, with its tracks on one time axis."""

from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts


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


PANEL = Panel(place=20, view=_view)
