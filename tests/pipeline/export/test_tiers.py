from hypothesis import given

from pipeline.export.tiers import Interval, without_overlap
from tests.pipeline.report.speeches import intervals, speech


@given(intervals)
def test_fitted_intervals_are_in_order_and_keep_every_text(given_intervals: list[Interval]) -> None:
    fitted = without_overlap(given_intervals, 15.0)
    assert all(each.start < each.end <= 15.0 for each in fitted)
    assert all(one.end <= other.start for one, other in zip(fitted, fitted[1:], strict=False))
    if fitted:
        kept = " ".join(each.text for each in fitted)
        assert all(each.text in kept for each in given_intervals if each.start < 15.0)


def test_a_word_without_length_gets_a_millisecond() -> None:
    fitted = without_overlap([Interval(1.0, 1.0, "a"), Interval(1.0, 2.0, "b")], 3.0)
    assert fitted == (Interval(1.0, 1.001, "a"), Interval(1.001, 2.0, "b"))


def test_what_begins_at_the_end_joins_the_text_before() -> None:
    assert without_overlap([Interval(1, 3, "a"), Interval(3, 4, "b")], 3.0) == (Interval(1, 3, "a b"),)


def test_tiers() -> None:
    found = speech("One two.", "Three.", speakers=("Anna", "Ben")).tiers
    assert [tier.name for tier in found] == ["words", "sentences", "speakers"]
    assert [each.text for each in found[2].intervals] == ["Anna", "Ben"]
