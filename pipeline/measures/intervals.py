"""Word error rates of many speeches, and how sure a figure is."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pipeline.arrays import Mask, Vector
from pipeline.records import ErrorCounts

# How sure a figure is: bootstrap intervals.


def mean(values: Sequence[float]) -> float:
    """The mean of some figures."""
    return float(np.mean(values))


def pooled_mean(groups: Sequence[Sequence[float] | Vector | Mask]) -> float:
    """The mean of all figures of some groups."""
    return float(np.concatenate(groups).mean())


def bootstrap_interval(
    groups: Sequence[Any],
    statistic: Callable[[Sequence[Any]], float] = mean,
    *,
    samples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[float, float] | tuple[None, None]:
    """Percentile interval of `statistic` over resampled groups (speeches, motions, topics); None for fewer than two.

    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    if len(groups) < 2:
        return None, None
    random = np.random.default_rng(seed)
    draws = random.integers(0, len(groups), size=(samples, len(groups)))
    values = [statistic([groups[i] for i in draw]) for draw in draws]
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


# Word error rates of many speeches: errors add up, rates do not.


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
