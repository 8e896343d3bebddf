"""How coverage is shown: as Markdown, on the page of a speech, as tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pipeline.content.stage import Coverage, ExpectedSentence
from pipeline.export.table import WHO, Table, each_of_speech, flag, number, text, who
from pipeline.report.formatting import clock
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.finished import FinishedRun


def headline(record: Coverage) -> str:
    """How many of the expected sentences are covered."""
    covered = sum(sentence.covered for sentence in record.sentences)
    return f"{covered} of {len(record.sentences)} expected sentences covered"


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
            "yes" if sentence.covered else "no",
            clock(sentence.said.start) if sentence.said else None,
            sentence.similarity,
            sentence.words,
            sentence.text,
            sentence.said.quoted if sentence.said else None,
        ]
        for sentence in sentences
    )
    return table(["covered", "time", "similarity", "words", "expected", "nearest in the speech"], rows)


@dataclass(frozen=True)
class ExpectedContent:
    """The expected sentences that the speech covers, and those that it does not."""

    own: SpeechLink
    expected: str
    covered: tuple[ExpectedSentence, ...]
    missing: tuple[ExpectedSentence, ...]


def _view(data: ReportData, facts: SpeechFacts) -> Iterator[ExpectedContent]:
    """The expected content of each speech in the recording."""
    for speech in (own.speech.id for own in data.speeches_in(facts)):
        if record := data.of_speech(Coverage, speech):
            covered = tuple(sentence for sentence in record.sentences if sentence.covered)
            missing = tuple(sentence for sentence in record.sentences if not sentence.covered)
            yield ExpectedContent(data.links[speech], record.expected, covered, missing)


PANEL = Panel(view=_view, title="Expected content")


# Tables of the covered content, for data frames.


def _coverage(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, record in each_of_speech(run, Coverage, lambda record: (record,)):
        yield (
            *who(speech),
            *(record.expected, record.covered, record.base_rouge, record.new_rouge),
            *(record.best_rouge, record.content_vector, record.soft_recall),
        )


def _expected_sentences(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, sentence in each_of_speech(run, Coverage, lambda record: record.sentences):
        said = sentence.said
        yield (
            *who(speech),
            *(sentence.part, sentence.text, sentence.covered, sentence.similarity, sentence.words),
            *((said.start, said.end, said.quoted) if said else (None, None, None)),
        )


TABLES = (
    Table(
        "coverage",
        "a speech, and how much of the expected content it covers",
        (
            *WHO,
            text("expected", "references or arguments: the expected content"),
            number("covered", "share of the expected sentences that are covered"),
            number("base_rouge", "ROUGE-1 recall, one reference"),
            number("new_rouge", "ROUGE-1 recall of types, all references"),
            number("best_rouge", "the highest over the references"),
            number("content_vector", "cosine of the tf-idf vectors"),
            number("soft_recall", "recall of the expected sentences by meaning"),
        ),
        _coverage,
    ),
    Table(
        "expected_sentences",
        "an expected sentence, and the most similar sentence of the speech",
        (
            *WHO,
            text("part", "id of the argument, or number of the reference, that it is from"),
            text("text", "the expected sentence"),
            flag("covered", "whether the speech covers it"),
            number("similarity", "of the most similar sentence, by the encoder"),
            number("words", "share of its content words in that sentence; rare words weigh more"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("said", "the most similar sentence"),
        ),
        _expected_sentences,
    ),
)
