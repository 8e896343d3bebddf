from pipeline.argue.counter.reports import judge_response
from tests.pipeline.argue.counter.speeches import EMPTY, speech


def test_a_speech_that_opens_by_restating_the_other_side_is_explicit() -> None:
    opening = "They told us that it is fair.", "Then she claimed that it is cheap."
    found = judge_response(speech("s", *opening, *["We have a point of our own."] * 6))
    assert found.is_explicit
    assert found.reports == (0, 1)


def test_a_single_aside_is_not_enough() -> None:
    assert not judge_response(speech("s", "We go first.", "As they say, it rains.", *["It pours."] * 7)).is_explicit
    assert not judge_response(EMPTY).is_explicit


def test_the_name_of_an_opponent_counts() -> None:
    sentences = "Anna is right about one thing.", "It is late, Anna.", *["We go home."] * 6
    assert judge_response(speech("s", *sentences), ["Anna"]).is_explicit
    assert not judge_response(speech("s", *sentences)).is_explicit
