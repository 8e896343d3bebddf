"""The role of a sentence: what rules say of its words, and what the shipped classifier says of its meaning."""

import pytest

from pipeline.sentence_roles import roles_of

MOTION = "We should ban gambling"


def kind(sentence: str, motion: str = MOTION) -> str:
    return roles_of([sentence], motion)[0].kind


@pytest.mark.parametrize(
    "sentence",
    [
        "Thank you very much, ladies and gentlemen.",
        "we should ban gambling",
        "So for all these reasons, we should ban gambling.",
        "And for those reasons we are proud to support the motion.",
        "I have three arguments in today's speech.",
        "so let's start by talking about the first point",
        "Our second argument is about crime.",
        "You have two minutes, Senator.",
        "Gambling should not be banned.",
    ],
)
def test_what_argues_nothing_is_procedure(sentence):
    assert kind(sentence) == "procedure"


@pytest.mark.parametrize(
    "sentence",
    [
        "We should ban gambling because it makes people poor.",
        "Our first argument is that it is unfair to make young people pay for older people.",
        "Thank you, gambling ruins families and drives people into debt.",
        "gambling is addictive and it destroys families",
        "If we ban it, criminals will take over the business.",
    ],
)
def test_a_reason_argues(sentence):
    role = roles_of([sentence], MOTION)[0]
    assert role.is_argued
    assert role.argues >= 0.5


@pytest.mark.parametrize("sentence", ["Why should we ban it?", "so why is this the case", "what does that mean for us"])
def test_questions_are_told_with_and_without_marks(sentence):
    assert kind(sentence) == "question"


@pytest.mark.parametrize(
    "sentence",
    [
        "They tell us that gambling gives people jobs.",
        "The other side says that gambling is fun.",
        "Some people might say that adults should be free to gamble.",
    ],
)
def test_other_people_s_words_are_theirs(sentence):
    role = roles_of([sentence], MOTION)[0]
    assert role.kind == "quoting"
    assert role.is_of_other_side
    assert not role.is_argued


def test_what_is_quoted_and_answered_argues():
    assert roles_of(["They say it is fun, but addicts lose their homes and families."], MOTION)[0].is_argued


def test_an_announced_report_is_the_next_sentence():
    roles = roles_of(["And then she told us this.", "Gambling creates jobs for many people."], MOTION)
    assert [role.kind for role in roles] == ["quoting", "quoting"]


def test_a_concession_without_an_answer_is_one():
    assert kind("We agree that casinos create some jobs.") == "conceding"
    assert kind("And I think you're right that casinos create some jobs.") == "conceding"


def test_evidence_is_told_from_plain_argument():
    assert kind("According to a study, 40 percent of gamblers lose all of their savings.") == "evidence"


def test_no_sentences_have_no_roles():
    assert roles_of([], MOTION) == []
