"""Time and models of every stage of the speech."""

from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts, StageFacts


@dataclass(frozen=True)
class StagesOfSpeech:
    """The artifacts of the speech without their data."""

    stages: tuple[StageFacts, ...]
    title = "How this was made"


def _view(data: ReportData, facts: SpeechFacts) -> StagesOfSpeech | None:
    return StagesOfSpeech(tuple(facts.stages.values())) if facts.stages else None


PANEL = Panel(place=70, view=_view)
