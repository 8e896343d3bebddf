"""Agreement against published worked examples and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from pipeline.measures.agreement import cohen_kappa, fleiss_kappa, mean_pairwise_kappa

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
