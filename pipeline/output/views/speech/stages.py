"""Time and models of every stage of the speech."""

from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import Header, SpeechFacts


@dataclass(frozen=True)
class StagesOfSpeech:
    """The artifacts of the speech without their data."""

    headers: tuple[Header, ...]
    title = "How this was made"


def _view(data: ReportData, facts: SpeechFacts) -> StagesOfSpeech | None:
    return StagesOfSpeech(tuple(facts.headers.values())) if facts.headers else None


PANEL = Panel(place=70, view=_view)
