import pytest

from pipeline.counter.comparison import SharedWordSimilarity
from pipeline.counter.methods.unraised import unraised
from pipeline.counter.reports import judge_response, reported_issues
from tests.pipeline.counter.speeches import EMPTY, speech


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


def test_the_issues_that_are_attributed_to_the_other_side() -> None:
    candidate = speech(
        "c",
        "We begin.",
        "They told us that phones distract pupils from their work.",
        "Two answers here.",
        "Teachers can.",
    )
    issues, places = reported_issues(candidate, ())
    assert issues.sentences == ("that phones distract pupils from their work.", "Two answers here. Teachers can.")
    assert places == (1, 2)
    assert reported_issues(EMPTY, ()) == reported_issues(EMPTY, ())
    assert reported_issues(EMPTY, ())[0].sentences == ()


def test_a_candidate_that_answers_what_was_not_said_is_spoken_against() -> None:
    supporting = speech("s", "Phones distract pupils.", "Phones cost money.")
    # of the other sentences every word is shared: their best matches are 1; 'castles sink' matches nothing
    elsewhere = speech("e", "They told us that castles by the sea sink.", *supporting.sentences)
    here = speech("h", "They told us that phones distract pupils today.", "Pupils need castles.")
    nobody = speech("n", "Phones distract pupils.")
    candidates = [elsewhere, here, nobody, EMPTY]
    scores = [unraised(SharedWordSimilarity(), supporting, candidate) for candidate in candidates]
    assert scores == pytest.approx([-1.0, 0.0, 0.0, 0.0])
