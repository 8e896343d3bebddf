import pytest

from pipeline.counter.comparison import SharedWordSimilarity
from pipeline.counter.methods.sentences import unraised
from pipeline.counter.reported_speech import (
    attributes,
    emphasises,
    judge_response,
    names_spoken,
    reported_issues,
    turns_against,
)
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


@pytest.mark.parametrize(
    "sentence",
    [
        "She said that a phone is built to be picked up.",
        "The first thing that was brought up is creativity.",
        "The second thing that we're being told is that it costs money.",
        "The prime minister talked about freedom.",
        "Allow me to respond to these points.",
        "It's reasonable what the other side are saying, as they tell us themselves.",
        "He gave the example of a library.",
        "A lot of government's case circles around consent.",
        "We agree with the previous speaker about one thing.",
        "Two answers here.",
        "The harms that they talk about will disappear.",
    ],
)
def test_sentences_that_report_the_other_side(sentence: str) -> None:
    assert attributes(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "She called me.",
        "What the fares bring in is another matter.",
        "I say no.",
        "They gave children food.",
        "People say what they like, and they give up their seats.",
        "They speak English at home.",
        "He said exactly what he needed to, and was let go.",
        "Nurses are told to show up early.",
        "Russia does not respond well to threats.",
        "A tax was introduced, and the government raised it.",
        "Public transport is the answer to traffic.",
    ],
)
def test_sentences_that_report_nobody(sentence: str) -> None:
    assert not attributes(sentence)


def test_a_name_is_heard_unless_it_is_a_common_word() -> None:
    names = names_spoken(["anna", "will"])
    assert attributes("Anna would take away the water.", names)
    assert not attributes("Will this help?", names)
    assert attributes("Will says that it helps.", names)
    assert attributes("the mistake that anna makes is this.", names), "transcripts without capitals"
    assert not attributes("He saw anna there.", names)
    assert not attributes("Hannah left.", names)
    assert names_spoken([]) is None


def test_small_cues() -> None:
    assert emphasises("The most important thing is trust.")
    assert not emphasises("Trust is a thing.")
    assert emphasises("So secondly, it is unfair.")
    assert emphasises("The third and final reason is trust.")
    assert not emphasises("A second later the bell rings.")
    assert not emphasises("The first time they met, it rained.")
    assert turns_against("But that is only half of it.")
    assert turns_against("That is simply not true.")
    assert not turns_against("Nothing but the truth.")
