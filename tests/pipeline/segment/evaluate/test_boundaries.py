import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.arrays import Mask
from pipeline.segment.evaluate_segmentation import BoundaryCounts, window_errors

FLAGS = st.lists(st.booleans(), min_size=1, max_size=30)


def flags(text: str) -> Mask:
    return np.array([sign == "1" for sign in text])


def test_counts_by_hand() -> None:
    counts = BoundaryCounts.of(flags("0101001"), flags("0100101"))
    assert (counts.hits, counts.reference, counts.hypothesis) == (2, 3, 3)
    assert counts.precision == counts.recall == counts.f1 == pytest.approx(2 / 3)


def test_what_is_not_defined_is_none() -> None:
    assert BoundaryCounts().f1 is None
    assert BoundaryCounts.of(flags("010"), flags("000")).precision is None
    assert BoundaryCounts.of(flags("010"), flags("000")).f1 == 0
    assert window_errors([]) == (None, None)
    assert window_errors([(flags("000"), flags("010"))]) == (None, None)


@given(FLAGS, st.randoms(use_true_random=False))
def test_f1_is_the_harmonic_mean_and_counts_add_up(reference: list[bool], random) -> None:  # type: ignore[no-untyped-def]
    a = np.array(reference)
    b = np.array([random.random() < 0.5 for _ in reference])
    whole = BoundaryCounts.of(a, b)
    middle = len(a) // 2
    assert BoundaryCounts.of(a[:middle], b[:middle]) + BoundaryCounts.of(a[middle:], b[middle:]) == whole
    if whole.precision and whole.recall:
        assert whole.f1 == pytest.approx(2 * whole.precision * whole.recall / (whole.precision + whole.recall))


def test_pk_and_windowdiff_by_hand() -> None:
    # eight slots, two boundaries: windows of two. Windows 01 10 00 00 01 10 00 against 00 00 00 00 01 10 00:
    # two of seven differ, for either metric
    pk, windowdiff = window_errors([(flags("01000100"), flags("00000100"))])
    assert pk == pytest.approx(2 / 7)
    assert windowdiff == pytest.approx(2 / 7)


def test_windowdiff_counts_two_for_one_where_pk_does_not() -> None:
    pk, windowdiff = window_errors([(flags("000100000001"), flags("001100000001"))])
    assert pk is not None
    assert windowdiff is not None
    assert windowdiff > pk


@given(st.lists(FLAGS, max_size=4))
def test_a_perfect_hypothesis_has_no_window_errors(references: list[list[bool]]) -> None:
    pairs = [(np.array(reference), np.array(reference)) for reference in references]
    assert window_errors(pairs) in [(0.0, 0.0), (None, None)]
