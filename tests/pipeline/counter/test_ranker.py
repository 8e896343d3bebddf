import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.counter.ranker import (
    DECISIVE,
    Attribution,
    Ranker,
    best_scores,
    marginal_values,
    several_answers,
    shares,
    standardised,
)
from pipeline.counter.word_movers import Configuration
from pipeline.errors import RostrumError

ALL = np.ones((2, 2), dtype=bool)


def test_standardised_over_the_allowed_pairs_only() -> None:
    allowed = np.array([[True, True], [True, False]])
    found = standardised(np.array([[1.0, 2.0], [3.0, 999.0]]), allowed)
    assert found[allowed] == pytest.approx(np.array([-1, 0, 1]) * np.sqrt(3 / 2))
    assert (standardised(np.full((2, 2), 0.1), ALL) == 0).all()
    assert standardised(np.zeros((1, 0)), np.ones((1, 0), dtype=bool)).shape == (1, 0)


def test_the_combined_score_is_the_sum_of_its_parts() -> None:
    table = {"one": np.array([[1.0, 0.0], [0.0, 1.0]]), "two": np.array([[0.0, 4.0], [0.0, 0.0]])}
    ranker = Ranker({"one": 3.0, "two": 1.0})
    expected = 0.75 * standardised(table["one"], ALL) + 0.25 * standardised(table["two"], ALL)
    assert ranker.combined(table, ALL) == pytest.approx(expected)
    assert sum(ranker.parts(table, ALL).values()) == pytest.approx(expected)


def test_methods_that_disagree_leave_two_candidates_equal_to_the_last_bit() -> None:
    # of two candidates each method names one: five say the left one and five the right one, whatever the scores are
    values = [0.01, 0.41, 0.91, 0.0, 8.23, 4.15, 0.83, 0.1, 3.65, 0.01]
    is_left = [1, 0, 1, 0, 1, 0, 1, 0, 0, 1]
    rows = [[value, 0.3] if own else [0.3, value] for value, own in zip(values, is_left, strict=True)]
    table = {f"method {number}": np.array([row]) for number, row in enumerate(rows)}
    left, right = Ranker(dict.fromkeys(table, 1.0)).combined(table, ALL[:1], by_row=True)[0]
    assert left == right


def test_a_ranker_is_read_as_it_was_written(tmp_path: Path) -> None:
    ranker = Ranker({"JS": 0.25}, Configuration(("max", "min"), ("min", "min"), 0.9))
    ranker.save(tmp_path / "deep" / "ranker.json")
    assert Ranker.load(tmp_path / "deep" / "ranker.json") == ranker


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"weights": {"JS": "much"}, "configuration": {}}',
        '{"weights": {"JS": 1}, "configuration": {"alpha": "much"}}',
    ],
)
def test_what_is_no_ranker_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "ranker.json"
    path.write_text(content)
    with pytest.raises(RostrumError, match=r"ranker\.json: not a ranker"):
        Ranker.load(path)
    with pytest.raises(RostrumError, match="cannot read"):
        Ranker.load(tmp_path / "missing.json")


def test_the_untrained_ranker_weighs_what_needs_no_training_alike() -> None:
    weights = Ranker.untrained().weights
    assert set(weights.values()) == {1.0}
    assert {"JS", "c-MI", "content ngrs", "quotes"} < weights.keys()
    assert not {"Cos", "MI", "ngrs", "SD-e"} & weights.keys(), "others look at the same counts; SD-e is tuned"


def test_tf_idf_alone_ranks_and_the_other_methods_are_reasons() -> None:
    ranker = Ranker.by_method("tf-idf")
    table = {name: np.array([[0.0, 1.0], [1.0, 0.0]]) for name in ranker.uses}
    table["tf-idf"] = np.array([[0.9, 0.1], [0.1, 0.9]])
    assert ranker.combined(table, ALL).argmax(axis=1).tolist() == [0, 1]
    assert {"tf-idf", "JS", "quotes"} <= ranker.parts(table, ALL).keys()


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


def test_by_hand() -> None:
    table = {"JS": np.array([[0.0, 1.0], [2.0, -1.0]])}
    combined = np.array([[0.0, np.log(3.0)], [0.0, 0.0]])
    found = Attribution({"JS": 1.0}, bias=-1.0, sharpness=1.0, even_bias=0.0).probabilities(table, combined, ALL)
    # the best scores are 2 and 1: logits 1 and 0; whom: even, and three to one
    somebody = 1 / (1 + np.exp(-1))
    assert found == pytest.approx(np.array([[somebody / 2, 0.5 * 3 / 4], [somebody / 2, 0.5 / 4]]))


def test_who_may_answer_nobody_has_no_probability() -> None:
    allowed = np.array([[True, False], [True, False]])
    found = Attribution({"JS": 1.0}, 5.0, 1.0, 0.0).probabilities({"JS": np.ones((2, 2))}, np.zeros((2, 2)), allowed)
    assert found[:, 1].tolist() == [0.0, 0.0]
    assert best_scores({"JS": np.ones((2, 2))}, allowed)["JS"].tolist() == [1.0, 0.0]


@given(arrays(np.float64, (3, 4), elements=st.floats(-50, 50)), st.floats(0, 20))
def test_shares_are_distributions_and_keep_the_order(combined: np.ndarray, sharpness: float) -> None:
    found = shares(combined, np.ones((3, 4), dtype=bool), sharpness)
    assert found.sum(axis=0) == pytest.approx(np.ones(4))
    for column in range(4):
        order = np.argsort(combined[:, column], kind="stable")
        assert (np.diff(found[order, column]) >= -1e-12).all()
