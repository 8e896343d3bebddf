"""What word times tell of sentence boundaries: pauses before and after, final lengthening, and the same nearby."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Floats, Floats32
from pipeline.records import Word
from pipeline.text.encoders.contextual_words import bare

FEATURES = 9

# The pause before the first word and after the last one, in seconds; and the longest pause that counts.
_EDGE = 2.0
_LONGEST = 3.0
# By how much the logarithm of a word's duration grows with that of its number of letters, in IBM's debates.
_GROWTH = 1.07
_NEIGHBOURHOOD = 10


def timing(words: Sequence[Word]) -> Floats32:
    """One row per word: pauses in absolute and in the speaker's own terms, and how long the word is for its letters."""
    if not words:
        return np.zeros((0, FEATURES), dtype=np.float32)
    starts, ends = np.array([(word.start, word.end) for word in words]).T
    after = np.append(np.maximum(starts[1:] - ends[:-1], 0.0), _EDGE)
    before = np.insert(after[:-1], 0, _EDGE)
    log_after, log_before = (np.log(np.minimum(pauses, _LONGEST) + 0.05) for pauses in (after, before))
    log_duration = np.log(np.maximum(ends - starts, 0.0) + 0.02)
    length = _lengthening(words, log_duration)
    rows = [
        log_after,
        log_before,
        after > 0.015,
        before > 0.015,
        length,
        np.append(length[1:], 0.0),
        log_after - _local_mean(log_after),
        _rank(after),
        log_duration,
    ]
    return np.column_stack(rows).astype(np.float32)


def _lengthening(words: Sequence[Word], log_duration: Floats) -> Floats:
    """How much longer a word is than its letters let expect, in the speaker's own tempo and spread."""
    letters = np.array([max(len(bare(word.text)), 1) for word in words])
    unexplained = log_duration - _GROWTH * np.log(letters + 1)
    unexplained = unexplained - unexplained.mean()
    lengthening: Floats = unexplained / max(float(unexplained.std()), 0.2)
    return lengthening


def _local_mean(values: Floats) -> Floats:
    padded = np.pad(values, _NEIGHBOURHOOD, mode="edge")
    return np.convolve(padded, np.full(2 * _NEIGHBOURHOOD + 1, 1 / (2 * _NEIGHBOURHOOD + 1)), mode="valid")


def _rank(values: Floats) -> Floats:
    """The share of values that are as small or smaller, ties at their mean."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values) / len(values)
    return ranks


def with_neighbours(rows: Floats32, reach: int) -> Floats32:
    """Each row beside those of the `reach` words before and after it; zeros where there are none."""
    padded = np.pad(rows, ((reach, reach), (0, 0)))
    return np.concatenate([padded[shift : shift + len(rows)] for shift in range(2 * reach + 1)], axis=1)
