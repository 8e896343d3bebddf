"""What records promise to those who use them: operators, and JSON that never changes by accident."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline.records import ErrorCounts, Passage, Sentence, Speech, TimeSpan, Turn, Word

moments = st.integers(0, 1000).map(lambda number: number / 8)
spans = st.tuples(moments, moments).map(lambda ends: TimeSpan(start=min(ends), end=max(ends)))


@given(spans, spans)
def test_two_spans_overlap_as_pyannote_says(one: TimeSpan, other: TimeSpan) -> None:
    from pyannote.core import Segment

    a, b = Segment(one.start, one.end), Segment(other.start, other.end)
    assert one.duration == a.duration
    assert one.middle == a.middle
    assert one.overlap(other) == (a & b).duration
    common = one & other
    assert (common is None) == (not a & b)
    assert common is None or (common.start, common.end) == tuple(a & b)
    if a and b:  # pyannote knows no span without length
        assert (one in other) == (a in b)
        assert one.gap(other) == (a ^ b).duration


@given(spans, moments)
def test_a_moment_lies_in_a_span(span: TimeSpan, moment: float) -> None:
    assert (moment in span) == (
        span.overlap(TimeSpan(start=moment, end=moment)) == 0 == span.gap(TimeSpan(start=moment, end=moment))
    )


def test_times_that_run_backwards_last_no_time() -> None:
    assert Word(text="a", start=2.0, end=1.0).duration == 0.0


def test_error_counts_add_up_and_are_never_negative() -> None:
    total = sum([ErrorCounts(hits=3, substitutions=1), ErrorCounts(deletions=2, insertions=4)], ErrorCounts())
    assert (total.errors, total.length, total.rate) == (7, 6, 7 / 6)
    assert ErrorCounts(insertions=1).rate is None
    with pytest.raises(ValidationError):
        ErrorCounts(hits=-1)


def test_sentences_as_one_passage() -> None:
    one = Sentence(text="We wait.", start=1.0, end=2.5, first=0, last=2)
    other = Sentence(text="No.", start=2.0, end=2.25, first=2, last=3)
    assert Passage.of(one, other) == Passage(text="We wait. No.", start=1.0, end=2.5)


@pytest.mark.parametrize(("speakers", "sole"), [((), None), (("Ann",), "Ann"), (("Ann", "Bob"), None)])
def test_one_known_speaker(speakers: tuple[str, ...], sole: str | None) -> None:
    assert Speech(id="a", speakers=speakers).sole_speaker == sole


def test_the_json_of_a_record_keeps_its_order() -> None:
    """Digests are made of it."""
    assert Turn(start=1, end=2).model_dump_json() == '{"start":1.0,"end":2.0,"speaker":null}'
    word = Word(text="a", start=1, end=2)
    assert word.model_dump_json() == '{"text":"a","start":1.0,"end":2.0,"probability":null,"speaker":null}'
