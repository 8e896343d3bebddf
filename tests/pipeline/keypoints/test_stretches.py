"""Clauses that stand alone, out of running speech."""

import math

import pytest

from pipeline.keypoints import stretches
from pipeline.keypoints.clause_form import load_form
from pipeline.keypoints.stretches import read_speech, smooth


def standing_clauses(sentences, **how):
    (found,) = stretches.standing_clauses([read_speech(sentences, **how)])
    return found


def clauses(*sentences, punctuated=False):
    return [clause.text for clause in standing_clauses(sentences, punctuated=punctuated, most_words=15)]


def test_clauses_are_found_without_punctuation():
    said = "so we think that gambling is highly addictive and casinos take money from poor people and"
    assert clauses(said) == ["Gambling is highly addictive", "Casinos take money from poor people"]


def test_what_stands_in_quotation_marks_is_not_the_speaker_s():
    said = 'That rejects the position that, "If you share it, there is no expectation of privacy, and casinos cheat.'
    assert clauses(said, punctuated=True) == []
    said = 'They say, "Gambling harms nobody at all," but casinos take money from poor people.'
    assert clauses(said, punctuated=True) == ["Casinos take money from poor people"]


def test_an_apostrophe_that_a_transcriber_left_out_is_put_back():
    assert smooth("Organic farming doesnt allow it, and werent banned") == (
        "Organic farming doesn't allow it, and weren't banned"
    )


def test_a_clause_may_go_on_after_a_pause():
    assert "Casinos take money from poor people" in clauses("casinos take money", "from poor people")


def test_the_sentence_of_a_clause_is_that_of_its_verb():
    found = standing_clauses(["Good evening.", "Casinos take money from poor people."], punctuated=True, most_words=15)
    assert [(clause.sentence, clause.text) for clause in found] == [(1, "Casinos take money from poor people")]


def test_only_clauses_within_some_sentences_are_read():
    said = ["Casinos take money from poor people.", "Gambling harms many families."]
    found = {
        frozenset(within): [
            clause.text for clause in standing_clauses(said, punctuated=True, most_words=15, within=within)
        ]
        for within in (set(), {1}, {0, 1})
    }
    assert found == {
        frozenset(): [],
        frozenset({1}): ["Gambling harms many families"],
        frozenset({0, 1}): ["Casinos take money from poor people", "Gambling harms many families"],
    }
    assert found[frozenset({0, 1})] == clauses(*said, punctuated=True)


@pytest.mark.parametrize(
    "said",
    [
        "They say that casinos take money from poor people.",
        "If casinos take money from poor people, we should look at it.",
        "I don't think that casinos take money from poor people.",
        "Some people believe that casinos take money from poor people.",
        "The threats are real, and casinos take money from poor people, but there is no need for a ban.",
        "It's true that casinos take money from poor people.",
        "I mean yes, casinos take money from poor people.",
    ],
)
def test_what_is_reported_supposed_denied_or_granted_is_no_clause_of_the_speaker(said):
    assert "Casinos take money from poor people" not in clauses(said, punctuated=True)


def test_a_clause_has_the_whole_of_its_subject():
    said = "Small firms and public services cannot pay for the extra staff."
    assert clauses("He said so.", said, punctuated=True) == [said[:-1]]


def test_a_subject_is_not_begun_within():
    assert "Called experts own the casinos" not in clauses("we know that the so called experts own the casinos")


def test_a_clause_does_not_end_before_the_words_that_its_own_belong_to():
    said = "Casinos matter insofar as casinos allow young women and men in some cases to get outside and see friends."
    assert not any(text.endswith("women") for text in clauses(said, punctuated=True))
    said = "gambling is a way for corporations to steal money away or for governments to steal from poor people"
    assert not any(text.endswith("governments") for text in clauses(said))


def test_names_are_known():
    said = ["Casinos take money from Americans.", "Poor people lose money in Nevada."]
    found = standing_clauses(said, punctuated=True, most_words=15)
    assert [clause.names for clause in found] == [(), ("nevada",)]


def test_after_but_comes_what_the_speaker_stands_by():
    said = "Casinos may not be the cause of poverty, but casinos take money from poor people."
    assert clauses(said, punctuated=True) == ["Casinos take money from poor people"]


def test_a_clause_does_not_end_within_a_word():
    said = "States allocate their electors according to a winner-takes-all principle."
    assert clauses(said, punctuated=True) == [said[:-1]]


def test_what_is_broken_off_is_no_part_of_a_clause():
    said = "If there are -- the limits protect poor people."
    assert clauses(said, punctuated=True) in ([], ["The limits protect poor people"])


def test_an_indirect_question_is_no_clause():
    assert clauses("it is questionable at what point", "a small casino harms poor people") == []


def test_hesitations_repetitions_and_tone_are_left_out():
    assert smooth("it's um actually a way for for governments to, you know, take money") == (
        "it's a way for governments to, take money"
    )


def test_a_pronoun_is_replaced_by_what_the_motion_is_about_and_by_nothing_else():
    said = ["School uniforms are old.", "They limit the freedom of young people."]

    def texts(about):
        return [one.text for one in standing_clauses(said, punctuated=True, most_words=15, about=frozenset(about))]

    assert "School uniforms limit the freedom of young people" in texts({"school", "uniform"})
    assert not any("freedom" in text for text in texts({"zoo"}))
    said[:] = ["The state should ban school uniforms because they limit the freedom of young people."]
    assert "School uniforms limit the freedom of young people" in texts({"school", "uniform"})
    assert not any("uniforms limit" in text for text in texts({"zoo"}))
    said[:] = ["Rich firms pay for school uniforms.", "And they limit the freedom of young people."]
    assert not any("uniforms limit" in text for text in texts({"school", "uniform"}))
    said[:] = [
        "School uniforms are old.",
        "It is hard to read the rules.",
        "Wearing school uniforms is old.",
        "They limit the freedom of the young.",
    ]
    assert not any("freedom" in text or "hard" in text for text in texts({"school", "uniform"}))


def test_form_and_meaning_multiply_their_odds():
    plain = load_form().model_copy(update={"weights": {"a": 2.0}, "bias": -1.0, "meaning": (0.0,) * 384})
    by_form, neither = plain.model_copy(update={"meaning_bias": 0.0}).probabilities(["x", "y"], [["a"], ["b"]])
    assert by_form == pytest.approx(1 / (1 + math.exp(-1)))
    assert neither == pytest.approx(1 / (1 + math.exp(1)))
    (both,) = plain.model_copy(update={"meaning_bias": 0.5}).probabilities(["x"], [["a"]])
    assert both == pytest.approx(1 / (1 + math.exp(-1.5)))
