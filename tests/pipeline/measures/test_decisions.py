"""Metrics of yes-or-no decisions against scikit-learn, hand calculation and exhaustive search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from pipeline.measures.decisions import (
    area_under_curve,
    best_threshold,
    calibration,
    calibration_error,
    macro_accuracy,
    precision_recall_f1,
)

items = st.lists(
    st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.7, 0.9]), st.booleans(), st.integers(0, 3)), min_size=1, max_size=20
)


def test_macro_accuracy_by_hand() -> None:
    # of speech a one of two is right, of speech b both
    labels = np.array([True, False, True, False])
    assert macro_accuracy(np.array([True, True, True, False]), labels, ["a", "a", "b", "b"]) == 0.75
    assert macro_accuracy(np.array([True, True, True, False]), labels, ["a", "b", "b", "b"]) == pytest.approx(5 / 6)


@given(items)
def test_micro_metrics_are_scikit_learns(given: list[tuple[float, bool, int]]) -> None:
    scores, labels = np.array([score for score, _, _ in given]), np.array([label for _, label, _ in given])
    decisions = scores >= 0.5
    expected = precision_recall_fscore_support(labels, decisions, average="binary", zero_division=np.nan)[:3]
    for ours, theirs in zip(precision_recall_f1(decisions, labels), expected, strict=True):
        assert np.isnan(theirs) if ours is None else ours == pytest.approx(theirs)
    auc = area_under_curve(scores, labels)
    if len(set(labels.tolist())) == 2:
        assert auc == pytest.approx(roc_auc_score(labels, scores))
    else:
        assert auc is None


@given(items)
def test_no_threshold_is_better_than_the_best(given: list[tuple[float, bool, int]]) -> None:
    scores, labels = np.array([score for score, _, _ in given]), np.array([label for _, label, _ in given])
    groups = [group for _, _, group in given]
    ours = macro_accuracy(scores >= best_threshold(scores, labels, groups), labels, groups)
    candidates = [0.0, 0.15, 0.3, 0.6, 0.8, 1.0]
    assert ours == pytest.approx(max(macro_accuracy(scores >= each, labels, groups) for each in candidates))


def test_calibration_by_hand() -> None:
    probabilities = np.array([0.05, 0.05, 0.92, 0.98, 1.0])
    labels = np.array([False, True, True, True, False])
    curve = calibration(probabilities, labels)
    assert [count for _, _, count in curve] == [2, 3]
    assert curve[1][:2] == (pytest.approx(2.9 / 3), pytest.approx(2 / 3))
    assert calibration_error(probabilities, labels) == pytest.approx(0.4 * 0.45 + 0.6 * 0.3)
