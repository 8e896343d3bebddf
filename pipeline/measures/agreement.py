"""How far people agree with one another, and how well a measure predicts their scores."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pipeline.arrays import Floats, Indices, Integers

# How far annotators agree.


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


# How well a measure predicts human scores: correlation, correlation at equal length, and agreement.
#
# A figure that is not defined is None; `undefined` says why.

# Learns to predict scores (the second argument) from features, one row per response.
Fit = Callable[[Floats, Floats], Callable[[Floats], Floats]]


def undefined(measure: Floats, scores: Floats) -> str | None:
    """Why the two cannot be correlated, if they cannot."""
    if len(scores) < 2:
        return f"{len(scores)} scored responses: no correlation"
    if _is_constant(scores):
        return "all human scores are the same: no correlation"
    if _is_constant(measure):
        return "the measure is the same for all responses: no correlation"
    return None


def _is_constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


def pearson(one: Floats, other: Floats) -> float | None:
    """Pearson's r."""
    if len(one) < 2 or _is_constant(one) or _is_constant(other):
        return None
    return float(np.corrcoef(one, other)[0, 1])


def partial_correlation(one: Floats, other: Floats, held: Floats) -> float | None:
    """Pearson's r of what the held variable leaves unexplained of either."""
    if len(one) < 3:
        return None
    if _is_constant(held):
        return pearson(one, other)
    design = np.column_stack([np.ones(len(held)), held])
    residuals = [values - design @ np.linalg.lstsq(design, values, rcond=None)[0] for values in (one, other)]
    scales = [max(1.0, float(np.abs(values).max())) for values in (one, other)]
    if any(np.ptp(rest) <= 1e-9 * scale for rest, scale in zip(residuals, scales, strict=True)):
        return None
    return pearson(*residuals)


def quadratic_weighted_kappa(one: Sequence[int], other: Sequence[int]) -> float | None:
    """Cohen's kappa with squared distances as weights; None where both give one and the same score throughout.

    >>> quadratic_weighted_kappa([1, 2, 3], [1, 2, 3])
    1.0
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if not len(a):
        return None
    observed = float(((a - b) ** 2).mean())
    # over all pairs of one rater's scores with the other's
    expected = float((a**2).mean() + (b**2).mean() - 2 * a.mean() * b.mean())
    return 1 - observed / expected if expected else None


def prediction_kappa(predictions: Floats, scores: Floats) -> float | None:
    """Quadratic weighted kappa of predictions with human scores, both rounded to whole scores."""
    return quadratic_weighted_kappa(rounded(predictions, scores).tolist(), rounded(scores, scores).tolist())


def rounded(predictions: Floats, scores: Floats) -> Indices:
    """The predictions as whole scores, halves up, within the range of the human ones."""
    low, high = np.floor(scores.min() + 0.5), np.floor(scores.max() + 0.5)
    return np.clip(np.floor(predictions + 0.5), low, high).astype(np.intp)


def linear_fit(features: Floats, scores: Floats) -> Callable[[Floats], Floats]:
    """A function that predicts scores of other features, by least squares with an intercept."""
    weights = np.linalg.lstsq(_with_intercept(features), scores, rcond=None)[0]
    return lambda more: np.asarray(_with_intercept(more) @ weights)


def _with_intercept(features: Floats) -> Floats:
    return np.column_stack([np.ones(len(features)), features])


def cross_validated(
    features: Floats, scores: Floats, prompts: Sequence[Any], *, fit: Fit = linear_fit, folds: int = 10
) -> Floats | None:
    """Each response's score as predicted from the responses to other prompts; None if there is one prompt only."""
    names, index = np.unique(np.asarray(prompts), return_inverse=True)
    if len(names) < 2:
        return None
    fold = index % min(folds, len(names))
    predictions = np.empty(len(scores))
    for each in range(fold.max() + 1):
        held = fold == each
        predictions[held] = fit(features[~held], scores[~held])(features[held])
    return predictions
