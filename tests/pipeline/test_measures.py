"""Agreement against published worked examples and scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support, roc_auc_score

from pipeline.measures import (
    area_under_curve,
    best_threshold,
    calibration,
    calibration_error,
    cohen_kappa,
    cross_validated,
    fleiss_kappa,
    linear_fit,
    macro_accuracy,
    mean_pairwise_kappa,
    partial_correlation,
    pearson,
    pooled_rate,
    precision_recall_f1,
    quadratic_weighted_kappa,
    rounded,
    undefined,
    word_error_rates,
)
from pipeline.records import ErrorCounts

# Fleiss 1971's example, as on Wikipedia: ten subjects, fourteen raters, five categories
FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def test_fleiss_kappa_of_the_worked_example() -> None:
    assert fleiss_kappa(FLEISS) == pytest.approx(0.210, abs=0.0005)


def test_fleiss_kappa_where_items_differ_in_votes() -> None:
    # by hand: agreement (1 + 1/3) / 2 = 2/3, expected (4/6)^2 + (2/6)^2 = 5/9; the item with one vote tells nothing
    assert fleiss_kappa(np.array([[3, 0], [1, 2], [1, 0]])) == pytest.approx((2 / 3 - 5 / 9) / (1 - 5 / 9))


def test_kappas_that_are_not_defined() -> None:
    assert fleiss_kappa(np.array([[3, 0], [4, 0]])) is None
    assert fleiss_kappa(np.array([[1, 0], [0, 1]])) is None
    assert cohen_kappa([], []) is None
    assert cohen_kappa([1, 1], [1, 1]) is None
    assert mean_pairwise_kappa([[1, None], [None, 0]]) is None


def test_cohen_kappa_of_the_worked_example() -> None:
    # Wikipedia: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no
    one = [1] * 25 + [0] * 25
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(one, other) == pytest.approx(0.4)


def test_mean_pairwise_kappa_is_scikit_learns_over_what_both_saw() -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 40)
    rows = [np.where(random.random(40) < 0.2, 1 - truth, truth).tolist() for _ in range(3)]
    expected = np.mean([cohen_kappa_score(rows[a], rows[b]) for a, b in ((0, 1), (0, 2), (1, 2))])
    assert mean_pairwise_kappa(rows) == pytest.approx(expected)
    assert mean_pairwise_kappa([[*rows[0], None], [*rows[1], 1]]) == pytest.approx(cohen_kappa_score(*rows[:2]))


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


counts = st.lists(st.builds(ErrorCounts, hits=st.integers(0, 50), substitutions=st.integers(0, 9)), max_size=6)


def test_pooled_and_macro_by_hand() -> None:
    """10 words with 1 error and 90 with 30: 31 of 100 pooled, and (1/10 + 30/90) / 2 as a mean."""
    found = word_error_rates(
        [
            ErrorCounts(hits=9, substitutions=1),
            ErrorCounts(hits=70, substitutions=10, deletions=10, insertions=10),
            ErrorCounts(insertions=3),  # a reference without words has no rate, and is not part of any
        ]
    )
    assert found["wer"] == pytest.approx(0.31)
    assert found["wer_macro"] == pytest.approx((1 / 10 + 30 / 90) / 2)
    assert (found["words"], found["substitutions"], found["deletions"], found["insertions"]) == (100, 11, 10, 10)
    low, high = found["wer_low"], found["wer_high"]
    assert low is not None
    assert high is not None
    assert 0.1 <= low <= 0.31 <= high <= 0.34


def test_nothing_to_score() -> None:
    assert word_error_rates([])["wer"] is None
    assert word_error_rates([ErrorCounts(insertions=1)])["wer"] is None
    assert math.isnan(pooled_rate([ErrorCounts()]))


def test_one_speech_has_no_interval() -> None:
    found = word_error_rates([ErrorCounts(hits=1)])
    assert (found["wer"], found["wer_low"], found["wer_high"]) == (0, None, None)


@given(counts)
def test_the_rate_lies_in_its_interval_and_the_interval_is_the_same_each_time(found: list[ErrorCounts]) -> None:
    rates = word_error_rates(found)
    assert rates == word_error_rates(found)
    if rates["wer_low"] is not None and rates["wer_high"] is not None:
        assert 0 <= rates["wer_low"] <= rates["wer_high"] <= 1


RANDOM = np.random.default_rng(0)
RATINGS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


def test_pearson_agrees_with_scipy() -> None:
    one, other = RANDOM.random((2, 50))
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic)


def test_partial_correlation_by_the_formula() -> None:
    held = RANDOM.random(200)
    one, other = held + RANDOM.random(200), 2 * held + RANDOM.random(200)
    a, b, c = (stats.pearsonr(x, y).statistic for x, y in ((one, other), (one, held), (other, held)))
    expected = (a - b * c) / np.sqrt((1 - b**2) * (1 - c**2))
    assert partial_correlation(one, other, held) == pytest.approx(expected)
    assert abs(expected) < a


def test_partial_correlation_of_the_held_variable_itself_is_not_defined() -> None:
    held = RANDOM.random(20)
    assert partial_correlation(held, RANDOM.random(20), held) is None
    assert partial_correlation(3 * held + 1, RANDOM.random(20), held) is None


def test_holding_a_constant_changes_nothing() -> None:
    one, other = RANDOM.random((2, 20))
    assert partial_correlation(one, other, np.ones(20)) == pearson(one, other)


@given(RATINGS)
def test_kappa_agrees_with_scikit_learn(ratings: list[tuple[int, int]]) -> None:
    one, other = zip(*ratings, strict=True)
    found = quadratic_weighted_kappa(one, other)
    if len({*one, *other}) == 1:
        assert found is None
    else:
        assert found == pytest.approx(cohen_kappa_score(one, other, weights="quadratic", labels=range(5)), abs=1e-9)


@pytest.mark.parametrize(
    ("measure", "scores", "reason"),
    [
        ([], [], "0 scored responses"),
        ([1.0], [1.0], "1 scored responses"),
        ([1.0, 2.0], [3.0, 3.0], "all human scores are the same"),
        ([1.0, 1.0], [3.0, 4.0], "the measure is the same"),
    ],
)
def test_what_is_not_defined_is_none_and_says_why(measure: list[float], scores: list[float], reason: str) -> None:
    one, other = np.array(measure), np.array(scores)
    assert pearson(one, other) is None
    assert reason in str(undefined(one, other))
    assert quadratic_weighted_kappa([], []) is None


def test_rounding_stays_in_the_range_of_the_scores() -> None:
    assert rounded(np.array([-3.0, 0.4, 2.5, 9.0]), np.array([0.0, 4.5])).tolist() == [0, 0, 3, 5]


def test_a_line_is_found() -> None:
    x = RANDOM.random((30, 2))
    assert linear_fit(x, 1 + x @ [2.0, 3.0])(np.array([[1.0, 1.0]])) == pytest.approx(6.0)


def test_a_prompt_is_predicted_without_itself() -> None:
    # prompt b has scores of its own that nothing else has: they must not be known
    feature = np.array([[1.0], [2.0], [3.0], [1.0], [2.0]])
    scores = np.array([1.0, 2.0, 3.0, 100.0, 200.0])
    found = cross_validated(feature, scores, ["a", "a", "a", "b", "b"])
    assert found is not None
    np.testing.assert_allclose(found[3:], [1.0, 2.0], atol=1e-9)
    assert cross_validated(feature, scores, ["a"] * 5) is None
