"""Candidates for key points: what stands alone, what is rewritten, and what is refused."""

import pytest

from pipeline.keypoints.candidates import Candidate, candidates, claims, diverse, quality, topic_subject

TOPIC = "We should abandon the use of school uniform"


def texts(arguments, topic=TOPIC):
    return [each.text for each in candidates(arguments, topic)]


@pytest.mark.parametrize(
    ("topic", "subject"),
    [
        ("We should ban human cloning", "human cloning"),
        ("We should fight for the abolition of nuclear weapons", "nuclear weapons"),
        ("Homeschooling should be banned.", "Homeschooling"),
        ("The vow of celibacy should be abandoned", "The vow of celibacy"),
        ("Phones", None),
    ],
)
def test_what_a_topic_is_about(topic, subject):
    assert topic_subject(topic) == subject


def test_the_side_is_cut_off_and_the_reason_kept():
    assert texts(["school uniforms should not be abandoned because uniforms reduce bullying among pupils."]) == [
        "Uniforms reduce bullying among pupils"
    ]
    assert "Uniforms reduce bullying among pupils" in texts(
        ["uniforms reduce bullying among pupils and should therefore be kept"]
    )


def test_a_pronoun_gets_its_subject_when_it_can_only_mean_the_topic():
    assert texts(["we should abandon marriage because it is a religious ceremony"], "We should abandon marriage") == [
        "Marriage is a religious ceremony"
    ]
    assert texts(["It is cheaper for parents to share clothes"], "We should abandon marriage") == []


def test_names_are_written_as_in_the_topic():
    topic = "We should close Guantanamo Bay detention camp"
    assert texts(["guantanamo bay violates human rights"], topic) == ["Guantanamo Bay violates human rights"]


@pytest.mark.parametrize(
    "text",
    [
        "They cost too much money",  # who?
        "These are wrong in many ways",
        "Because uniforms cost money",
        "Uniforms for all pupils in town",  # no verb
        "Uniforms should be abandoned",  # the side, and no reason
        "Will lead to more bullying everywhere",
        "Uniforms are a waste of the",
        "Uniforms cost",
        "Do uniforms reduce bullying?",
        "Wearing clothes designed by the schools",  # no verb but in -ing and -ed
        "Uniforms are good for pupils",  # a verdict, and no reason
        "T would create a more equal society",
        "",
    ],
)
def test_what_does_not_stand_alone_is_no_candidate(text):
    assert texts([text]) == []


def test_short_and_plain_reads_better():
    def rated(text):
        return quality(text, frozenset({"uniform"}), most_words=15)

    assert rated("Uniforms reduce bullying among pupils") > rated("Uniforms reduce bullying among us and our pupils")
    assert rated("Uniforms reduce bullying") > rated(
        "Uniforms reduce bullying in nearly every school that has ever tried to introduce them"
    )


def test_equal_candidates_are_one_and_remember_their_first_source():
    found = candidates(["nothing", "Uniforms reduce bullying", "uniforms reduce bullying."], TOPIC)
    assert [(each.text, each.source) for each in found] == [("Uniforms reduce bullying", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "People who have no other uniform to wear",  # only the relative clause has a verb
        "Take the uniform away from school",
    ],
)
def test_parts_and_orders_are_no_candidates(text):
    assert texts([text]) == []


def test_words_that_nobody_else_uses_take_from_the_quality():
    said = ["Uniforms reduce bullying among pupils", "Uniforms reduce teasing among pupils", "Bullying harms pupils"]
    found = {each.text: each.quality for each in candidates(said, TOPIC)}
    assert found[said[0]] > found[said[1]] > 0


def test_candidates_do_not_depend_on_the_order_of_the_texts():
    things = ["bullying", "teasing", "spending", "envy", "truancy", "noise", "fights", "theft"]
    people = ["pupils", "teachers", "parents", "schools", "towns", "families"]
    said = [f"Uniforms reduce {thing} among {who}" for thing in things for who in people]
    forwards = [each.text for each in candidates(said, TOPIC, limit=10)]
    backwards = [each.text for each in candidates(said[::-1], TOPIC, limit=10)]
    assert len(forwards) == 10
    assert forwards == backwards


def test_of_too_many_candidates_those_that_differ_are_kept():
    alike = [Candidate(f"Uniforms reduce bullying {n}", n, 0.9) for n in range(5)]
    kept = diverse([*alike, Candidate("Parents save money", 5, 0.8)], 2)
    assert [each.text for each in kept] == ["Uniforms reduce bullying 0", "Parents save money"]


def test_what_is_conceded_is_nobody_s_key_point():
    conceded = "Although uniforms cost parents money, uniforms reduce bullying among pupils."
    assert texts([conceded]) == ["Uniforms reduce bullying among pupils"]
    assert claims(conceded) == ["Uniforms reduce bullying among pupils."]
    pieces = texts(["Uniforms may cost parents money, but uniforms reduce bullying among pupils."])
    assert "Uniforms reduce bullying among pupils" in pieces
    assert "Uniforms may cost parents money" not in pieces
