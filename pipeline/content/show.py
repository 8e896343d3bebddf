"""How coverage is shown: as Markdown, and on the page of a speech."""

from dataclasses import dataclass
from itertools import groupby

from pipeline.content.record import Coverage, ExpectedSentence
from pipeline.report.formatting import clock
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts

# How much of the expected content a speech covers.


def headline(record: Coverage) -> str:
    """How many of the expected sentences are covered."""
    return f"{sum(each.covered for each in record.sentences)} of {len(record.sentences)} expected sentences covered"


def page(record: Coverage) -> str:
    """The measures, then every expected sentence with the nearest sentence of the speech."""
    measures = {
        "covered sentences": record.covered,
        "soft recall": record.soft_recall,
        "new ROUGE-1": record.new_rouge,
        "base ROUGE": record.base_rouge,
        "best ROUGE": record.best_rouge,
        "content vector": record.content_vector,
    }
    count = sum(sentence.covered for sentence in record.sentences)
    lines = [
        f"{count} of {len(record.sentences)} expected sentences are covered ({record.parts} {record.expected}).",
        table(list(measures), [list(measures.values())]),
    ]
    if record.left_out:
        lines.append(
            "Words that were expected and never said: " + ", ".join(escaped(word) for word in record.left_out) + "."
        )
    for part, sentences in groupby(record.sentences, key=lambda sentence: sentence.part):
        lines += [f"### {escaped(part)}", _table(list(sentences))]
    return "\n\n".join(lines)


def _table(sentences: list[ExpectedSentence]) -> str:
    rows = (
        [
            "yes" if each.covered else "no",
            each.text,
            clock(each.said.start) if each.said else None,
            each.said.text if each.said else None,
            each.similarity,
            each.words,
        ]
        for each in sentences
    )
    return table(["covered", "expected", "time", "nearest in the speech", "similarity", "words"], rows)


# How much of the expected content the speech covers.


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


PANEL = Panel(view=_view, title="Expected content")
