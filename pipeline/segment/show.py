"""The sentences of a speech."""

from pipeline.report.formatting import clock, counted
from pipeline.report.markdown import table
from pipeline.segment.record import Sentences


def headline(record: Sentences) -> str:
    """How many sentences there are."""
    return f"{counted(len(record.sentences), 'sentence')}, cut by {record.method}"


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
    header = ["time", *(["speaker"] if speakers else []), "words", "sentence"]
    rows = (
        [
            clock(sentence.start),
            *([sentence.speaker] if speakers else []),
            sentence.last - sentence.first,
            sentence.text,
        ]
        for sentence in record.sentences
    )
    return f"{summary}\n\n{table(header, rows)}"
