"""Word error rates of many speeches: errors add up, rates do not."""

from collections.abc import Sequence

from pipeline.measures.intervals import bootstrap_interval
from pipeline.records import ErrorCounts


def pooled_rate(counts: Sequence[ErrorCounts]) -> float:
    """Errors of all over words of all; not a number where no reference has a word."""
    total = sum(counts, ErrorCounts())
    return total.rate if total.rate is not None else float("nan")


def word_error_rates(counts: Sequence[ErrorCounts]) -> dict[str, float | int | None]:
    """Pooled rate with its bootstrap interval over speeches, and the mean of the speeches' own rates.

    >>> word_error_rates([ErrorCounts(hits=8, deletions=2), ErrorCounts(hits=10)])["wer"]
    0.1
    """
    with_words = [each for each in counts if each.length]
    if not with_words:
        return {"wer": None, "wer_low": None, "wer_high": None, "wer_macro": None, "words": 0}
    total = sum(with_words, ErrorCounts())
    low, high = bootstrap_interval(with_words, pooled_rate)
    rates = [each.errors / each.length for each in with_words]
    return {
        "wer": total.rate,
        "wer_low": low,
        "wer_high": high,
        "wer_macro": sum(rates) / len(rates),
        "words": total.length,
        "substitutions": total.substitutions,
        "deletions": total.deletions,
        "insertions": total.insertions,
    }
