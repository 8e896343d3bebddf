import numpy as np
import pytest

from pipeline.counter.evaluate.debates import accuracy, reciprocal_rank


def test_without_ties() -> None:
    correct = np.array([False, True, False])
    assert accuracy(np.array([1.0, 3.0, 2.0]), correct) == 1.0
    assert accuracy(np.array([3.0, 1.0, 2.0]), correct) == 0.0
    assert reciprocal_rank(np.array([3.0, 1.0, 2.0]), correct) == pytest.approx(1 / 3)


def test_equal_scores_count_what_chance_gives_them() -> None:
    correct = np.array([False, True, False])
    assert accuracy(np.zeros(3), correct) == pytest.approx(1 / 3)
    assert reciprocal_rank(np.zeros(3), correct) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert reciprocal_rank(np.array([5.0, 1.0, 1.0]), correct) == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_of_several_correct_ones_the_first_counts() -> None:
    correct = np.array([True, True, False])
    assert accuracy(np.zeros(3), correct) == pytest.approx(2 / 3)
    # of the three orders of right and wrong, two begin with a right one
    assert reciprocal_rank(np.zeros(3), correct) == pytest.approx((1 + 1 + 1 / 2) / 3)
