"""The word errors of a transcript against its reference."""

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.export.table import Table, each_of_recording, integer, text
from pipeline.report.formatting import counted, percent
from pipeline.report.markdown import table
from pipeline.run.finished import FinishedRun
from pipeline.score.stage import AlignedChunk, WordErrors
from pipeline.transcribe import Transcript

CONTEXT = 3
MOST = 50


def headline(record: WordErrors) -> str:
    """The word error rate."""
    words = record.words
    return f"word error rate {percent(record.wer)}: {counted(words.errors, 'error')} in {counted(words.length, 'word')}"


def page(record: WordErrors) -> str:
    """Error rates, then the places where transcript and reference differ, with the words around them."""
    counts = record.words
    words = (percent(record.wer), counts.substitutions, counts.deletions, counts.insertions, counts.length)
    rates = table(("WER", "substitutions", "deletions", "insertions", "reference words"), [words])
    others = (percent(record.mer), percent(record.wil), percent(record.cer), record.normaliser)
    rates += "\n\n" + table(("MER", "WIL", "CER", "normaliser"), [others])
    errors = [chunk for chunk in record.alignment if chunk.type != "equal"]
    shown = table(("error", "reference", "transcript", "where"), [_row(record, chunk) for chunk in errors[:MOST]])
    rest = f"\n\nand {len(errors) - MOST} more" if len(errors) > MOST else ""
    return rates + ("\n\n" + shown + rest if errors else "\n\nNo errors.")


def _row(record: WordErrors, chunk: AlignedChunk) -> tuple[str, str, str, str]:
    (first, last), (start, end) = chunk.reference, chunk.hypothesis
    before = record.reference[max(0, first - CONTEXT) : first]
    after = record.reference[last : last + CONTEXT]
    said, heard = " ".join(record.reference[first:last]), " ".join(record.hypothesis[start:end])
    return chunk.type, said, heard, " ".join((*before, f"[{said}]", *after))


# The alignment as a table.


def _word_errors(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, record in each_of_recording(run, WordErrors, lambda record: (record,)):
        transcript = run.of_speech(Transcript, speech)
        speakers = [word.speaker for word in transcript.words] if transcript else []
        for chunk in record.alignment:
            said = " ".join(record.reference[slice(*chunk.reference)])
            heard = " ".join(record.hypothesis[slice(*chunk.hypothesis)])
            speaker = _speaker(record, chunk, speakers)
            yield speech, speaker, chunk.type, *chunk.reference, *chunk.hypothesis, said, heard


def _speaker(record: WordErrors, chunk: AlignedChunk, speakers: Sequence[str | None]) -> str | None:
    """Who says the words of a chunk. Of missed words, who says those around them; None if these are two people."""
    first, last = chunk.hypothesis
    if first == last:
        first, last = max(first - 1, 0), min(last + 1, len(record.hypothesis))
    sources = record.sources[first:last]
    own = {speaker for start, end in sources for speaker in speakers[start:end]}
    if chunk.type == "delete":
        return own.pop() if len(own) == 1 else None
    return "; ".join(sorted(filter(None, own))) or None


TABLES = (
    Table(
        "word_errors",
        "a part of the alignment of transcript and reference, both normalised",
        (
            text("speech", "id of the speech"),
            text("speaker", "who says it, if it is known; of missed words, who says those around them"),
            text("type", "equal, substitute, delete (missed) or insert (added)"),
            integer("reference_first", "its first word in the reference"),
            integer("reference_last", "the word after its last in the reference"),
            integer("transcript_first", "its first word in the transcript"),
            integer("transcript_last", "the word after its last in the transcript"),
            text("reference", "what was said"),
            text("transcript", "what was heard"),
        ),
        _word_errors,
    ),
)
