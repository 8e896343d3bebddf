"""What is left of a spoken sentence, and what counts as a claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.keypoints.candidates import claims
from pipeline.keypoints.clauses import is_argued, trimmed


@pytest.mark.parametrize(
    ("said", "claimed"),
    [
        ("So we think that boxing harms young people", "Boxing harms young people"),
        ("And, um, the second reason is that, uh, phones distract all pupils", "Phones distract all pupils"),
        ("but at the end of the day, cameras cost too much money", "Cameras cost too much money"),
        ("the cracked, um, the cracked old phone sits alone", "The cracked old phone sits alone"),
        ("What this means is that buses will be slower.", "Buses will be slower."),
        ("It’s important to note that voters decide this matter", "Voters decide this matter"),
        ("And last, towns should decide for themselves", "Towns should decide for themselves"),
        ("Many people agree with this, you know", "Many people agree with this"),
    ],
)
def test_markers_are_trimmed(said, claimed):
    assert trimmed(said) == claimed


@pytest.mark.parametrize(
    "said",
    [
        "No one should be forced to vote",
        "So many children walk to school",
        "Right to life matters more than this",
        "We don't think that boxing should be banned",
        "First aid saves lives every day",
    ],
)
def test_what_only_looks_like_a_marker_stays(said):
    assert trimmed(said) == said


def test_a_marker_stays_when_hardly_anything_would_be_left():
    assert trimmed("So we think it works") == "We think it works"


@pytest.mark.parametrize(
    "text",
    [
        "Ladies and gentlemen, good evening",
        "I have three reasons for saying this",
        "My third reason is a matter of principle",
        "Let us talk about those who struggle",
        "She told us that fares are a burden",
        "When I was a girl, the bully stayed at the gate",
        "Is that what we want for our children?",
        "Thank you very much indeed",
        "When the phones go away.",
        "Ask yourselves who is going to pay for it",
        "Someone is looking for coins",
        "Too short",
    ],
)
def test_small_talk_is_not_argued(text):
    assert not is_argued(text)


@pytest.mark.parametrize(
    "text",
    ["Phones distract pupils from learning", "The state must protect children", "I believe people should decide"],
)
def test_claims_are_argued(text):
    assert is_argued(text)


def test_a_sentence_that_rambles_makes_several_claims():
    text = (
        "So we think that boxing provides a structured way for people to express violence because violence is a part "
        "of human culture, and people who watch a match have a safe outlet for it; besides, the sport pays very well."
    )
    assert claims(text) == [
        "Boxing provides a structured way for people to express violence",
        "Violence is a part of human culture",
        "People who watch a match have a safe outlet for it",
        "Besides, the sport pays very well",
    ]


def test_a_short_sentence_is_one_claim_or_none():
    assert claims("And a ban is easy to enforce because it is simple.") == [
        "A ban is easy to enforce because it is simple."
    ]
    assert claims("Good evening, everybody.") == []


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_trimmed_once_and_for_all(text):
    once = trimmed(text)
    assert len(once.split()) <= len(text.split())
    assert is_argued(once) in (True, False)
    claims(text)
