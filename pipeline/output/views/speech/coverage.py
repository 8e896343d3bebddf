"""How much of the expected content the speech covers."""

from dataclasses import dataclass

from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import Coverage, ExpectedSentence


@dataclass(frozen=True)
class ExpectedContent:
    """The expected sentences that the speech covers, and those that it does not."""

    own: SpeechLink
    expected: str
    covered: tuple[ExpectedSentence, ...]
    missing: tuple[ExpectedSentence, ...]


def _view(data: ReportData, facts: SpeechFacts) -> ExpectedContent | None:
    record = data.run.of_speech(Coverage, facts.speech.id)
    if record is None:
        return None
    covered = tuple(each for each in record.sentences if each.covered)
    missing = tuple(each for each in record.sentences if not each.covered)
    return ExpectedContent(data.links[facts.speech.id], record.expected, covered, missing)


PANEL = Panel(place=60, view=_view, title="Expected content")
