from functools import partial
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.counter.method import Method
from pipeline.counter.methods.mutual_information import mutual_information
from pipeline.counter.texts import Vocabulary
from tests.pipeline.counter.speeches import CANDIDATES, SUPPORTING, WORDS, speech

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
