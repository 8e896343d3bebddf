import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.counter.ranker import DECISIVE, marginal_values, several_answers

ALL = np.ones((2, 2), dtype=bool)


def test_what_one_speech_can_better_do_without_goes_to_the_other() -> None:
    # both prefer the first; the second needs it more
    values = marginal_values(np.array([[0.9, 0.8], [1.0, 0.1]]), ALL)
    assert values.argmax(axis=1).tolist() == [1, 0]
    # together 1.8 one way, 1.0 the other
    assert values == pytest.approx(np.array([[-0.8, 0.8], [0.8, -0.8]]))


def test_nobody_answers_their_own_speech() -> None:
    allowed = np.array([[False, True], [True, True]])
    values = marginal_values(np.zeros((2, 2)), allowed)
    assert values[0, 0] == -np.inf
    assert values[1, 0] > DECISIVE
    assert values[1].argmax() == 0


def test_a_speech_that_answers_nobody_is_left_over() -> None:
    values = marginal_values(np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 1.0]]), np.ones((2, 3), dtype=bool))
    assert (values > 0).tolist() == [[True, False, False], [False, True, False]]


def test_one_supporting_speech_and_none() -> None:
    values = marginal_values(np.array([[1.0, 3.0, 2.0]]), np.ones((1, 3), dtype=bool))
    assert values[0].argsort().tolist() == [0, 2, 1]
    assert marginal_values(np.zeros((2, 0)), np.ones((2, 0), dtype=bool)).shape == (2, 0)


@given(arrays(np.int64, st.tuples(st.integers(1, 3), st.integers(1, 4)), elements=st.integers(-5, 5)))
def test_values_is_the_best_with_less_the_best_without(scores: np.ndarray) -> None:
    rows, columns = scores.shape
    size = min(rows, columns)
    assignments = [
        list(zip(chosen, order, strict=True))
        for chosen in itertools.combinations(range(rows), size)
        for order in itertools.permutations(range(columns), size)
    ]
    values = marginal_values(scores.astype(float), np.ones(scores.shape, dtype=bool))
    for pair in itertools.product(range(rows), range(columns)):
        having = [sum(scores[each] for each in found) for found in assignments if pair in found]
        lacking = [sum(scores[each] for each in found) for found in assignments if pair not in found]
        if lacking:
            assert values[pair] == pytest.approx(max(having) - max(lacking), abs=1e-6)
        else:
            assert values[pair] > DECISIVE


def test_a_supporting_speech_may_have_several_answers_and_none() -> None:
    # the first supporting speech is answered twice, the second by nobody
    values = several_answers(np.array([[3.0, 2.0], [1.0, 1.5]]), ALL)
    assert values == pytest.approx(np.array([[2.0, 0.5], [-2.0, -0.5]]))
    # as far as the second opposing speech would rather answer nobody, it does
    values = several_answers(np.array([[3.0, 2.0], [1.0, 1.5]]), ALL, nobody=np.array([0.0, 2.5]))
    assert (values > 0).tolist() == [[True, False], [False, False]]


def test_with_one_choice_only_it_is_decided() -> None:
    values = several_answers(np.array([[0.0, 0.0], [0.0, 0.0]]), np.array([[True, False], [True, False]]))
    assert values[:, 0].tolist() == [0.0, 0.0]
    assert values[:, 1].tolist() == [-np.inf, -np.inf]
    alone = several_answers(np.zeros((2, 1)), np.array([[True], [False]]))
    assert alone[0, 0] >= DECISIVE
    assert alone[1, 0] == -np.inf


def test_one_row_is_that_of_all_rows() -> None:
    scores = np.random.default_rng(0).normal(size=(3, 4))
    allowed = np.ones((3, 4), dtype=bool)
    whole = marginal_values(scores, allowed)
    for row in range(3):
        assert marginal_values(scores, allowed, row)[row] == pytest.approx(whole[row])
