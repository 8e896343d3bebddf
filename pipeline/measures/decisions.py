"""Yes-or-no decisions with scores: metrics, thresholds and calibration."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Mask

CALIBRATION_BINS = 10


def macro_accuracy(decisions: Mask, labels: Mask, groups: Sequence[Any] | NDArray[Any]) -> float:
    """The share of right decisions within each group, averaged over the groups.

    >>> decided, labelled = np.array([True, True, False]), np.array([True, False, False])
    >>> macro_accuracy(decided, labelled, ["phones", "phones", "buses"])
    0.75
    """
    _, index = np.unique(np.asarray(groups), return_inverse=True)
    right = np.bincount(index, weights=decisions == labels)
    return float((right / np.bincount(index)).mean())


def precision_recall_f1(decisions: Mask, labels: Mask) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1 over all decisions; None where there is nothing to divide by.

    >>> precision_recall_f1(np.array([True, True, False]), np.array([True, False, True]))
    (0.5, 0.5, 0.5)
    """
    found = int((decisions & labels).sum())
    precision = found / int(decisions.sum()) if decisions.any() else None
    recall = found / int(labels.sum()) if labels.any() else None
    f1 = 2 * found / int(decisions.sum() + labels.sum()) if decisions.any() or labels.any() else None
    return precision, recall, f1


def area_under_curve(scores: Floats, labels: Mask) -> float | None:
    """The probability that a positive scores above a negative, ties counted half; None without one of each."""
    if labels.all() or not labels.any():
        return None
    from scipy.stats import rankdata

    positives = int(labels.sum())
    ranks = float(rankdata(scores)[labels].sum())
    return (ranks - positives * (positives + 1) / 2) / (positives * (len(labels) - positives))


def best_threshold(scores: Floats, labels: Mask, groups: Sequence[Any] | NDArray[Any]) -> float:
    """The threshold with the highest macro accuracy, halfway between two scores; the lowest of several.

    A score at or above it is a yes.
    """
    _, index = np.unique(np.asarray(groups), return_inverse=True)
    weights = 1 / np.bincount(index)[index]
    values, place = np.unique(scores, return_inverse=True)
    # a threshold that rises past a value gets its positives wrong and its negatives right
    change = np.bincount(place, weights=np.where(labels, -weights, weights), minlength=len(values))
    best = int(np.argmax(np.round(np.concatenate([[0.0], np.cumsum(change)]), 9)))
    edges = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]])
    return float(edges[best])


def calibration(probabilities: Floats, labels: Mask) -> list[tuple[float, float, int]]:
    """The reliability curve: (mean probability, share of positives, how many) of each tenth that has any."""
    tenth = np.minimum((probabilities * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    return [
        (float(probabilities[tenth == each].mean()), float(labels[tenth == each].mean()), int((tenth == each).sum()))
        for each in np.unique(tenth)
    ]


def calibration_error(probabilities: Floats, labels: Mask) -> float:
    """Expected calibration error: the distance of mean probability and share of positives, averaged over tenths.

    A tenth counts by how many probabilities are in it.
    """
    return sum(abs(mean - share) * count for mean, share, count in calibration(probabilities, labels)) / len(labels)
