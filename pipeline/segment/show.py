"""The sentences of a speech."""

from collections.abc import Iterator
from typing import Any

from pipeline.export.table import Table, each_of_recording, integer, number, text
from pipeline.report.formatting import clock, counted
from pipeline.report.markdown import table
from pipeline.run.finished import FinishedRun
from pipeline.segment.stage import Sentences


def headline(record: Sentences) -> str:
    """How many sentences there are."""
    translated = f", translated by {record.translated_by}" if record.translated_by else ""
    return f"{counted(len(record.sentences), 'sentence')}, cut by {record.method}{translated}"


def page(record: Sentences) -> str:
    """How many and how long, then every sentence with its time and speaker."""
    if not record.sentences:
        return "No words, so no sentences."
    lengths = sorted(sentence.last - sentence.first for sentence in record.sentences)
    summary = (
        f"{counted(len(lengths), 'sentence')} of {lengths[0]} to {lengths[-1]} words "
        f"(median {lengths[len(lengths) // 2]}), cut by {record.method}."
    )
    speakers = {sentence.speaker for sentence in record.sentences} - {None}
    translated = ["in English, by a model"] if record.translated_by else []
    header = ["time", *(["speaker"] if speakers else []), "words", "sentence", *translated]
    rows = (
        [
            clock(sentence.start),
            *([sentence.speaker] if speakers else []),
            sentence.last - sentence.first,
            sentence.text,
            *([sentence.translation_line] if translated else []),
        ]
        for sentence in record.sentences
    )
    return f"{summary}\n\n{table(header, rows)}"


# The sentences as a table.


def _sentences(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, (index, row) in each_of_recording(run, Sentences, lambda record: enumerate(record.sentences)):
        words = row.first, row.last
        yield speech, index, row.start, row.end, row.text, row.speaker, *words, row.translation_line or None


TABLES = (
    Table(
        "sentences",
        "a sentence",
        (
            text("speech", "id of the speech"),
            integer("sentence", "its place in the speech, from 0"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "the sentence"),
            text("speaker", "who says it"),
            integer("first", "its first word"),
            integer("last", "the word after its last"),
            text("translation", "what a model says of it in English, after [translated]"),
        ),
        _sentences,
    ),
)
