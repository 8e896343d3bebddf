import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from pipeline.measures.agreement import (
    cross_validated,
    linear_fit,
    partial_correlation,
    pearson,
    quadratic_weighted_kappa,
    rounded,
    undefined,
)

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
