import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.measures.intervals import pooled_rate, word_error_rates
from pipeline.records.speech import ErrorCounts

counts = st.lists(st.builds(ErrorCounts, hits=st.integers(0, 50), substitutions=st.integers(0, 9)), max_size=6)


def test_pooled_and_macro_by_hand() -> None:
    """10 words with 1 error and 90 with 30: 31 of 100 pooled, and (1/10 + 30/90) / 2 as a mean."""
    found = word_error_rates(
        [
            ErrorCounts(hits=9, substitutions=1),
            ErrorCounts(hits=70, substitutions=10, deletions=10, insertions=10),
            ErrorCounts(insertions=3),  # a reference without words has no rate, and is not part of any
        ]
    )
    assert found["wer"] == pytest.approx(0.31)
    assert found["wer_macro"] == pytest.approx((1 / 10 + 30 / 90) / 2)
    assert (found["words"], found["substitutions"], found["deletions"], found["insertions"]) == (100, 11, 10, 10)
    low, high = found["wer_low"], found["wer_high"]
    assert low is not None
    assert high is not None
    assert 0.1 <= low <= 0.31 <= high <= 0.34


def test_nothing_to_score() -> None:
    assert word_error_rates([])["wer"] is None
    assert word_error_rates([ErrorCounts(insertions=1)])["wer"] is None
    assert math.isnan(pooled_rate([ErrorCounts()]))


def test_one_speech_has_no_interval() -> None:
    found = word_error_rates([ErrorCounts(hits=1)])
    assert (found["wer"], found["wer_low"], found["wer_high"]) == (0, None, None)


@given(counts)
def test_the_rate_lies_in_its_interval_and_the_interval_is_the_same_each_time(found: list[ErrorCounts]) -> None:
    rates = word_error_rates(found)
    assert rates == word_error_rates(found)
    if rates["wer_low"] is not None and rates["wer_high"] is not None:
        assert 0 <= rates["wer_low"] <= rates["wer_high"] <= 1
