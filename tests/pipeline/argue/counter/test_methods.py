"""What every method promises, whatever it computes."""

from itertools import permutations

import numpy as np
import pytest

from pipeline.argue.counter.dissimilarity import MoverSimilarity, SimilarityDissimilarity, WordSimilarity
from pipeline.argue.counter.methods import (
    Equal,
    Longest,
    Vocabularies,
    reason_methods,
    table,
    term_methods,
    untrained_methods,
)
from pipeline.argue.counter.next_sentence import NextSentence
from pipeline.argue.counter.opposition import Relations
from pipeline.argue.counter.similarity import SharedWordSimilarity
from pipeline.argue.counter.speech_text import Method, ranks
from pipeline.argue.counter.terms import Vocabulary
from tests.pipeline.argue.counter.speeches import (
    CANDIDATES,
    EMPTY,
    FIRST,
    OTHER_SUPPORTING,
    SECOND,
    SUPPORTING,
    THIRD,
    WORDS,
    speech,
)
from tests.pipeline.argue.counter.test_movers import VECTORS


class CountingBert(NextSentence):
    """Next sentence prediction without a model: a probability that only depends on the two texts."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def _probabilities(self, pairs):  # type: ignore[no-untyped-def]
        return [1 / (1 + len(one) + 2 * len(other)) for one, other in pairs]


def all_methods() -> list[Method]:
    pairs = [(SUPPORTING, FIRST), (OTHER_SUPPORTING, THIRD)]
    relations = Relations(SharedWordSimilarity())
    return [
        Equal(),
        Longest(),
        *term_methods(Vocabularies.of_pairs(pairs)),
        *untrained_methods(relations, [SUPPORTING, *CANDIDATES]),
        *reason_methods(relations),
        SimilarityDissimilarity(WordSimilarity(Vocabulary(WORDS)), MoverSimilarity(VECTORS)),
        SimilarityDissimilarity(None, MoverSimilarity(VECTORS)),
        CountingBert(),
    ]


METHODS = pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.name)


@METHODS
def test_the_order_of_the_candidates_changes_no_score(method: Method) -> None:
    expected = dict(zip(CANDIDATES, method.scores(SUPPORTING, CANDIDATES), strict=True))
    for order in permutations(CANDIDATES):
        found = dict(zip(order, method.scores(SUPPORTING, order), strict=True))
        assert found == pytest.approx(expected, abs=1e-12)


@METHODS
def test_identical_candidates_score_the_same(method: Method) -> None:
    twin = speech("twin", *FIRST.sentences)
    scores = method.scores(SUPPORTING, [SECOND, FIRST, twin])
    assert scores[1] == scores[2]


@METHODS
def test_no_candidate_one_candidate_and_empty_speeches(method: Method) -> None:
    assert method.scores(SUPPORTING, []).shape == (0,)
    assert method.scores(SUPPORTING, [FIRST]).shape == (1,)
    assert np.isfinite(method.scores(SUPPORTING, [FIRST])).all()
    assert method.scores(SUPPORTING, [EMPTY, FIRST])[0] == 0.0
    if method.name != "longest":
        assert method.scores(EMPTY, [FIRST, EMPTY]).tolist() == [0.0, 0.0]


def test_a_table_is_the_same_to_the_last_bit_in_any_order() -> None:
    methods, supporting = all_methods(), [SUPPORTING, OTHER_SUPPORTING]
    allowed = np.array([[True, True, True], [True, False, True]])
    expected = table(methods, supporting, CANDIDATES, allowed)
    for order in permutations(range(3)):
        found = table(methods, supporting, [CANDIDATES[index] for index in order], allowed[:, order])
        assert all((found[name] == expected[name][:, order]).all() for name in expected)


def test_who_cannot_answer_is_no_candidate() -> None:
    # 'cat dog' is shared by two; where one of them is not allowed it is the other's alone
    twin = speech("twin", *FIRST.sentences)
    methods = [method for method in all_methods() if method.name == "ngrs"]
    both = table(methods, [SUPPORTING], [FIRST, twin], np.array([[True, True]]))
    alone = table(methods, [SUPPORTING], [FIRST, twin], np.array([[True, False]]))
    assert both["ngrs"].tolist() == [[0.0, 0.0]]
    assert alone["ngrs"].tolist() == [[2.0, 0.0]]


def test_ties_are_broken_by_the_next_scores_and_then_by_id() -> None:
    assert ranks(["b", "a", "c"], np.array([1.0, 1.0, 2.0])) == [3, 2, 1]
    assert ranks(["b", "a", "c"], np.array([1.0, 1.0, 2.0]), np.array([5.0, 4.0, 0.0])) == [2, 3, 1]
    assert ranks([], np.zeros(0)) == []
