import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.counter.ranker import Attribution, best_scores, shares

ALL = np.ones((2, 2), dtype=bool)


def test_by_hand() -> None:
    table = {"JS": np.array([[0.0, 1.0], [2.0, -1.0]])}
    combined = np.array([[0.0, np.log(3.0)], [0.0, 0.0]])
    found = Attribution({"JS": 1.0}, bias=-1.0, sharpness=1.0).probabilities(table, combined, ALL)
    # the best scores are 2 and 1: logits 1 and 0; whom: even, and three to one
    somebody = 1 / (1 + np.exp(-1))
    assert found == pytest.approx(np.array([[somebody / 2, 0.5 * 3 / 4], [somebody / 2, 0.5 / 4]]))


def test_who_may_answer_nobody_has_no_probability() -> None:
    allowed = np.array([[True, False], [True, False]])
    found = Attribution({"JS": 1.0}, 5.0, 1.0).probabilities({"JS": np.ones((2, 2))}, np.zeros((2, 2)), allowed)
    assert found[:, 1].tolist() == [0.0, 0.0]
    assert best_scores({"JS": np.ones((2, 2))}, allowed)["JS"].tolist() == [1.0, 0.0]


@given(arrays(np.float64, (3, 4), elements=st.floats(-50, 50)), st.floats(0, 20))
def test_shares_are_distributions_and_keep_the_order(combined: np.ndarray, sharpness: float) -> None:
    found = shares(combined, np.ones((3, 4), dtype=bool), sharpness)
    assert found.sum(axis=0) == pytest.approx(np.ones(4))
    for column in range(4):
        order = np.argsort(combined[:, column], kind="stable")
        assert (np.diff(found[order, column]) >= -1e-12).all()
