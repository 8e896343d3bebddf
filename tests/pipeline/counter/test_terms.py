import math
from functools import partial
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from pipeline.counter.method import Method
from pipeline.counter.methods.terms import TfIdfCosine, cosine, jensen_shannon, mutual_information, shared_terms
from pipeline.counter.texts import Vocabulary, normalised
from tests.pipeline.counter.speeches import CANDIDATES, EMPTY, FIRST, SECOND, SUPPORTING, THIRD, WORDS, speech


def test_cosine_of_term_frequencies_by_hand() -> None:
    # supporting: a 2/5, b c d 1/5; first: a 2/4, b e 1/4; second: c 2/4, e f 1/4; third shares nothing
    scores = cosine(Vocabulary(WORDS), SUPPORTING, CANDIDATES)
    length, other = math.sqrt(4 + 1 + 1 + 1), math.sqrt(4 + 1 + 1)
    assert scores == pytest.approx([(4 + 1) / (length * other), 2 / (length * other), 0.0])


@pytest.mark.parametrize("vocabulary", [Vocabulary(WORDS), Vocabulary()], ids=["closed", "open"])
def test_js_is_one_less_the_squared_distance_of_scipy(vocabulary: Vocabulary) -> None:
    ours = np.array([2, 1, 1, 1, 0, 0, 0, 0]) / 5
    theirs = (
        np.array([2, 1, 0, 0, 1, 0, 0, 0]) / 4,
        np.array([0, 0, 2, 0, 1, 1, 0, 0]) / 4,
        np.array([0, 0, 0, 0, 0, 0, 1, 1]) / 2,
    )
    expected = [1 - jensenshannon(ours, each, base=2) ** 2 for each in theirs]
    assert jensen_shannon(vocabulary, SUPPORTING, CANDIDATES) == pytest.approx(expected)


def test_js_is_one_for_equal_and_zero_for_disjoint_and_empty_speeches() -> None:
    vocabulary = Vocabulary(WORDS)
    assert jensen_shannon(vocabulary, SUPPORTING, [SUPPORTING, THIRD, EMPTY]) == pytest.approx([1.0, 0.0, 0.0])
    assert jensen_shannon(vocabulary, EMPTY, [FIRST]) == pytest.approx([0.0])


def test_tf_idf_weighs_down_what_every_speech_has() -> None:
    # of three speeches all have a, one has b: idf 1 and ln(4 / 2) + 1
    training = [speech("1", "Cat dog."), speech("2", "Cat."), speech("3", "Cat.")]
    method = TfIdfCosine(training)
    rare = math.log(2) + 1
    candidates = [speech("a", "Cat."), speech("b", "Dog.")]
    length = math.sqrt(1 + rare**2)
    assert method(speech("s", "Cat dog."), candidates) == pytest.approx([1 / length, rare / length])


def test_the_vocabulary_has_the_terms_of_enough_pairs() -> None:
    pairs = [(SUPPORTING, FIRST), (SUPPORTING, SECOND), (THIRD, EMPTY)]
    half = Vocabulary.of_pairs(pairs, min_share=0.5)
    assert len(half) == 5  # a b c d and e are in two of three pairs
    assert len(Vocabulary.of_pairs(pairs, min_share=0.01)) == 8


def test_frequencies_are_of_the_terms_that_count() -> None:
    frequencies = normalised(Vocabulary(["cat", "fish"]).counts([SUPPORTING, THIRD])).toarray()
    assert frequencies == pytest.approx(np.array([[2 / 3, 1 / 3], [0.0, 0.0]]))


BAGS = st.lists(st.sampled_from(WORDS), max_size=8)


def method(*, conditional: bool) -> Method:
    return partial(mutual_information, Vocabulary(WORDS, without_stop_words=True), conditional=conditional)


def test_mutual_information_on_paper() -> None:
    # s = abcd of abcdefgh. first = abe: 2 shared, 1 only theirs, 2 only ours, 3 neither
    first = (
        2 / 8 * log2((2 / 8) / (4 / 8 * 3 / 8))
        + 1 / 8 * log2((1 / 8) / (4 / 8 * 3 / 8))
        + 2 / 8 * log2((2 / 8) / (4 / 8 * 5 / 8))
        + 3 / 8 * log2((3 / 8) / (4 / 8 * 5 / 8))
    )
    # second = cef: 1 shared, 2 only theirs, 3 only ours, 2 neither: the same table, its columns changed over
    # third = gh: none shared, 2 only theirs, 4 only ours, 2 neither
    third = (
        2 / 8 * log2((2 / 8) / (4 / 8 * 2 / 8))
        + 4 / 8 * log2((4 / 8) / (4 / 8 * 6 / 8))
        + 2 / 8 * log2((2 / 8) / (4 / 8 * 6 / 8))
    )
    assert method(conditional=False)(SUPPORTING, CANDIDATES) == pytest.approx([first, first, third])
    assert first == pytest.approx(0.0488, abs=1e-4)


def test_conditional_mutual_information_on_paper() -> None:
    # s = abcd, X = abe, Y = cef; what is said of X, given what Y has (cef) and has not (abdgh)
    x, y = speech("x", "Cat dog tree."), speech("y", "Fish tree rock.")
    # cef: only s has c, only X has e, neither has f
    had = 2 * (1 / 3) * log2((1 / 3) / (1 / 3 * 2 / 3)) + 1 / 3 * log2((1 / 3) / (2 / 3 * 2 / 3))
    # abdgh: both have ab, only s has d, neither has gh
    not_had = (
        2 / 5 * log2((2 / 5) / (3 / 5 * 2 / 5))
        + 1 / 5 * log2((1 / 5) / (3 / 5 * 3 / 5))
        + 2 / 5 * log2((2 / 5) / (2 / 5 * 3 / 5))
    )
    assert had == pytest.approx(0.2516, abs=1e-4)
    assert not_had == pytest.approx(0.4200, abs=1e-4)
    scores = method(conditional=True)(SUPPORTING, [x, y])
    assert scores[0] == pytest.approx(3 / 8 * had + 5 / 8 * not_had)


def test_alone_a_candidate_has_nothing_to_be_conditioned_on() -> None:
    one = CANDIDATES[:1]
    assert method(conditional=True)(SUPPORTING, one) == pytest.approx(method(conditional=False)(SUPPORTING, one))


@given(BAGS, st.lists(BAGS, min_size=1, max_size=4))
def test_both_agree_with_their_definitions(ours: list[str], bags: list[list[str]]) -> None:
    supporting = speech("s", " ".join(ours))
    candidates = [speech(str(i), " ".join(bag)) for i, bag in enumerate(bags)]
    plain = method(conditional=False)(supporting, candidates)
    conditional = method(conditional=True)(supporting, candidates)
    for index, bag in enumerate(bags):
        others = {word for other, each in enumerate(bags) if other != index for word in each}
        assert plain[index] == pytest.approx(_defined(set(ours), set(bag), set()), abs=1e-9)
        assert conditional[index] == pytest.approx(_defined(set(ours), set(bag), others), abs=1e-9)


def _defined(ours: set[str], theirs: set[str], others: set[str]) -> float:
    """sum over k of p(k) I(v_s|k; v_c|k), term by term."""
    joint = np.zeros((2, 2, 2))
    for word in WORDS:
        joint[int(word in others), int(word in ours), int(word in theirs)] += 1 / len(WORDS)
    total = 0.0
    for table in joint:
        size = table.sum()
        for one in (0, 1):
            for other in (0, 1):
                if table[one, other] > 0:
                    expected = table[one].sum() * table[:, other].sum() / size
                    total += table[one, other] * log2(table[one, other] / expected)
    return total


def test_mentions_are_terms_of_one_candidate_alone_and_figures_count_double() -> None:
    supporting = speech("s", "Cat dog 1984 fish.")
    scores = shared_terms(supporting, [speech("x", "Cat 1984."), speech("y", "Cat dog moon.")])
    assert scores == pytest.approx([2 / np.sqrt(2), 1 / np.sqrt(3)])
