"""Measures that runs and evaluations share: intervals, error rates, agreement, correlation, decisions."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Indices, Integers, Mask, Vector
from pipeline.records import ErrorCounts

# How sure a figure is: bootstrap intervals.


def mean(values: Sequence[float]) -> float:
    """The mean of some figures."""
    return float(np.mean(values))


def mean_of_defined(values: Iterable[Any]) -> float | None:
    """The mean of the values that are not None, or None if there is none.

    >>> mean_of_defined([1.0, None, 2.0])
    1.5
    """
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None


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


def with_interval(
    name: str,
    groups: Sequence[Any],
    statistic: Callable[[Sequence[Any]], float] = mean,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> dict[str, float | None]:
    """A figure over some groups by its name, and its 95 % interval as `NAME_low` and `NAME_high`. None without groups.

    >>> with_interval("accuracy", [1.0, 1.0, 1.0])
    {'accuracy': 1.0, 'accuracy_low': 1.0, 'accuracy_high': 1.0}
    """
    low, high = bootstrap_interval(groups, statistic, samples=samples, seed=seed)
    return {name: statistic(groups) if groups else None, f"{name}_low": low, f"{name}_high": high}


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
    with_words = [of_speech for of_speech in counts if of_speech.length]
    if not with_words:
        return {"wer": None, "wer_low": None, "wer_high": None, "wer_macro": None, "words": 0}
    total = sum(with_words, ErrorCounts())
    rates = [of_speech.errors / of_speech.length for of_speech in with_words]
    return {
        **with_interval("wer", with_words, pooled_rate),
        "wer_macro": sum(rates) / len(rates),
        "words": total.length,
        "substitutions": total.substitutions,
        "deletions": total.deletions,
        "insertions": total.insertions,
    }


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


def right_alone(counts: Integers) -> Floats:
    """For each item (row) with two votes or more, the share of its people who say what most of the others say.

    A tie of the others counts as the share of it that a person has. So one person can stand beside a method.

    >>> right_alone(np.array([[3, 0], [2, 1], [1, 1]])).round(3).tolist()
    [1.0, 0.333, 0.0]
    """
    right = np.zeros(len(counts))
    for value in range(counts.shape[1]):
        others = counts - np.eye(counts.shape[1], dtype=np.int64)[value]
        most = others == others.max(axis=1, keepdims=True)
        right += counts[:, value] * most[:, value] / most.sum(axis=1)
    return np.asarray(right / counts.sum(axis=1))


def cohen_kappa(one: Sequence[Any], other: Sequence[Any]) -> float | None:
    """Cohen's kappa of two annotators on the same items; None where it is not defined.

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    from sklearn.metrics import cohen_kappa_score

    if not len(one) or (len({*one}) == 1 and {*one} == {*other}):
        return None
    return float(cohen_kappa_score(one, other))


def mean_pairwise_kappa(annotators: Sequence[Sequence[Any | None]]) -> float | None:
    """Cohen's kappa, averaged over pairs of annotators; None in an annotator's row is an item they did not see."""
    kappas = []
    for one, other in combinations(annotators, 2):
        both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        kappas.append(cohen_kappa([a for a, _ in both], [b for _, b in both]))
    defined = [kappa for kappa in kappas if kappa is not None]
    return float(np.mean(defined)) if defined else None


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
    from sklearn.metrics import cohen_kappa_score

    scores = {*one, *other}
    if len(scores) < 2:
        return None
    return float(cohen_kappa_score(one, other, labels=range(min(scores), max(scores) + 1), weights="quadratic"))


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
    for number in range(fold.max() + 1):
        held = fold == number
        predictions[held] = fit(features[~held], scores[~held])(features[held])
    return predictions


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
    right, decided, labelled = int((decisions & labels).sum()), int(decisions.sum()), int(labels.sum())
    precision = right / decided if decided else None
    recall = right / labelled if labelled else None
    return precision, recall, 2 * right / (decided + labelled) if decided or labelled else None


def area_under_curve(scores: Floats, labels: Mask) -> float | None:
    """The probability that a positive scores above a negative, ties counted half; None without one of each."""
    if labels.all() or not labels.any():
        return None
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, scores))


def best_threshold(scores: Floats, labels: Mask, groups: Sequence[Any] | NDArray[Any]) -> float:
    """The threshold with the highest macro accuracy, halfway between two scores; the lowest of several.

    A score at or above it is a yes.
    """
    _, index = np.unique(np.asarray(groups), return_inverse=True)
    weights = 1 / np.bincount(index)[index]
    values, position = np.unique(scores, return_inverse=True)
    # a threshold that rises past a value gets its positives wrong and its negatives right
    change = np.bincount(position, weights=np.where(labels, -weights, weights), minlength=len(values))
    best = int(np.argmax(np.round(np.concatenate([[0.0], np.cumsum(change)]), 9)))
    edges = np.concatenate([[values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]])
    return float(edges[best])


def calibration(probabilities: Floats, labels: Mask) -> list[tuple[float, float, int]]:
    """The reliability curve: (mean probability, share of positives, how many) of each tenth that has any."""
    tenth = np.minimum((probabilities * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    return [
        (float(probabilities[of_bin].mean()), float(labels[of_bin].mean()), int(of_bin.sum()))
        for of_bin in (tenth == number for number in np.unique(tenth))
    ]


def calibration_error(probabilities: Floats, labels: Mask) -> float:
    """Expected calibration error: the distance of mean probability and share of positives, averaged over tenths.

    A tenth counts by how many probabilities are in it.
    """
    return sum(abs(mean - share) * count for mean, share, count in calibration(probabilities, labels)) / len(labels)
