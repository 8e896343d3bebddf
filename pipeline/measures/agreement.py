"""How far annotators agree."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pipeline.arrays import Integers


def fleiss_kappa(counts: Integers) -> float | None:
    """Fleiss' kappa of items (rows) by categories (columns) of votes; items may differ in their number of votes.

    None where it is not defined: no item has two votes, or all votes are of one category.
    """
    votes = counts.sum(axis=1)
    counts, votes = counts[votes >= 2], votes[votes >= 2]
    if not len(counts):
        return None
    observed = float(((counts * (counts - 1)).sum(axis=1) / (votes * (votes - 1))).mean())
    expected = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return None if expected == 1 else (observed - expected) / (1 - expected)


def cohen_kappa(one: Sequence[Any], other: Sequence[Any]) -> float | None:
    """Cohen's kappa of two annotators on the same items; None where it is not defined.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    a, b = np.asarray(one), np.asarray(other)
    if not len(a):
        return None
    expected = sum(float((a == value).mean() * (b == value).mean()) for value in np.union1d(a, b))
    return None if expected == 1 else (float((a == b).mean()) - expected) / (1 - expected)


def mean_pairwise_kappa(annotators: Sequence[Sequence[Any | None]]) -> float | None:
    """Cohen's kappa, averaged over pairs of annotators; None in an annotator's row is an item they did not see."""
    kappas = []
    for one, other in combinations(annotators, 2):
        both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        kappa = cohen_kappa([a for a, _ in both], [b for _, b in both])
        if kappa is not None:
            kappas.append(kappa)
    return float(np.mean(kappas)) if kappas else None
