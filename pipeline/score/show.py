"""The word errors of a transcript against its reference."""

from pipeline.report.formatting import counted, percent
from pipeline.report.markdown import table
from pipeline.score.record import AlignedChunk, WordErrors

CONTEXT = 3
MOST = 50


def headline(record: WordErrors) -> str:
    """The word error rate."""
    words = record.words
    return f"word error rate {percent(record.wer)}: {counted(words.errors, 'error')} in {counted(words.length, 'word')}"


def page(record: WordErrors) -> str:
    """Error rates, then the places where transcript and reference differ, with the words around them."""
    counts = record.words
    rates = table(
        ("WER", "substitutions", "deletions", "insertions", "reference words", "MER", "WIL", "CER", "normaliser"),
        [
            (
                percent(record.wer),
                counts.substitutions,
                counts.deletions,
                counts.insertions,
                counts.length,
                percent(record.mer),
                percent(record.wil),
                percent(record.cer),
                record.normaliser,
            )
        ],
    )
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
