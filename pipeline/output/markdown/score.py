from pipeline.output.markdown import escaped, table
from pipeline.records import AlignedChunk, WordErrors

CONTEXT = 3
MOST = 50


def page(record: WordErrors) -> str:
    """Error rates, then every place where transcript and reference differ, with the words around it."""
    counts = record.words
    rates = table(
        ("WER %", "S", "D", "I", "reference words", "MER %", "WIL %", "CER %", "normaliser"),
        [
            (
                _percent(record.wer),
                counts.substitutions,
                counts.deletions,
                counts.insertions,
                counts.length,
                _percent(record.mer),
                _percent(record.wil),
                _percent(record.cer),
                record.normaliser,
            )
        ],
    )
    errors = [chunk for chunk in record.alignment if chunk.type != "equal"]
    shown = table(("error", "said", "heard", "where"), [_row(record, chunk) for chunk in errors[:MOST]])
    rest = f"\n\nand {len(errors) - MOST} more" if len(errors) > MOST else ""
    return rates + ("\n\n" + shown + rest if errors else "\n\nNo errors.")


def _percent(rate: float | None) -> float | None:
    return None if rate is None else 100 * rate


def _row(record: WordErrors, chunk: AlignedChunk) -> tuple[str, str, str, str]:
    (first, last), (start, end) = chunk.reference, chunk.hypothesis
    before = record.reference[max(0, first - CONTEXT) : first]
    after = record.reference[last : last + CONTEXT]
    said, heard = " ".join(record.reference[first:last]), " ".join(record.hypothesis[start:end])
    return chunk.type, said, heard, escaped(" ".join((*before, f"[{said}]", *after)))
