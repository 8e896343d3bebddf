"""Candidates of speeches: on whose side they are, and what makes a good one."""

import numpy as np
import pytest

from pipeline.keypoints.spoken import (
    Readers,
    form,
    load_reasons,
    named,
    read_by_grammar,
    reasoning,
    says_more,
    spoken_candidates,
)
from pipeline.keypoints.stretches import Clause
from pipeline.records import Sentence
from pipeline.segment.stage import Sentences

MOTION = "We should ban gambling"


def spoken(*texts, method="pauses of 0.25 s"):
    return Sentences(
        sentences=tuple(Sentence(text=text, start=i, end=i + 1, first=i, last=i + 1) for i, text in enumerate(texts)),
        method=method,
    )


def readers(supports, opposes, reason=0.9):
    """Readers to whom every text is as probably for the motion, against it, and a reason."""
    each = np.log([[supports, opposes, 1 - supports - opposes]])
    return Readers(
        lambda motion, texts: np.repeat(each, len(texts), axis=0),
        lambda texts, motion: [None for _ in texts],
        lambda texts: np.array([0.9] * len(texts)),
        lambda texts: np.array([reason] * len(texts)),
    )


def candidates(text, stance, supports=0.8, opposes=0.1):
    read = read_by_grammar(MOTION, spoken(text), {0: 0}, most_words=15)
    found = spoken_candidates(MOTION, stance, [read], [{0: 0}], readers(supports, opposes))
    return [candidate.text for candidate in found]


def test_a_reason_is_a_candidate_of_its_own_side_only():
    said = "because gambling takes money from poor people and"
    assert candidates(said, "pro") == ["Gambling takes money from poor people"]
    assert candidates(said, "con") == []
    assert candidates(said, None) == ["Gambling takes money from poor people"]


def test_a_reason_is_told_from_a_statement():
    reasons = load_reasons().probabilities(["Casinos take money from poor families", "Gambling ruins young people"])
    statements = load_reasons().probabilities(["Casinos are open at night", "Gambling was mentioned in the paper"])
    assert min(reasons) > 0.5 > max(statements)


def test_the_bare_motion_is_no_candidate():
    assert candidates("so we should ban gambling", "pro") == []


def test_the_motion_with_a_place_is_no_candidate():
    assert candidates("so we should ban gambling in all western democracies", "pro") == []


def test_what_is_in_no_sentence_that_claims_is_no_candidate():
    said = spoken("gambling takes money from poor people")
    read = read_by_grammar(MOTION, said, {}, most_words=15)
    assert spoken_candidates(MOTION, "pro", [read], [{}], readers(0.8, 0.1)) == []


def test_what_seems_to_be_for_the_other_side_counts_a_little_less():
    likely, unlikely, not_at_all = reasoning(np.log([[0.6, 0.2, 0.2], [0.3, 0.5, 0.2], [0.2, 0.6, 0.2]]), "pro")
    assert likely > unlikely > 0.5 * likely
    assert not_at_all == 0.0


def test_without_a_side_a_reason_is_what_is_not_neither():
    assert reasoning(np.log([[0.3, 0.5, 0.2]]), None) == pytest.approx(0.8)


def test_a_clause_about_what_was_named_before_reads_worse():
    about = frozenset({"gambl"})
    known, new = (Clause("The drug takes money from poor people", 0, 0.9, 0, names, ()) for names in (("drug",), ()))
    assert 0 < form(known, about) < form(new, about)


def test_a_clause_with_a_name_that_the_motion_does_not_have_reads_worse():
    about = frozenset({"gambl", "nevada"})
    plain, motion, other = (
        Clause("Gambling takes money from poor people", 0, 0.9, 0, (), names) for names in ((), ("nevada",), ("smith",))
    )
    assert form(other, about) < form(plain, about) == form(motion, about)


def test_a_statement_that_gives_no_reason_counts_less():
    said = read_by_grammar(MOTION, spoken("because gambling takes money from poor people and"), {0: 0}, most_words=15)
    reason, statement = (
        spoken_candidates(MOTION, "pro", [said], [{0: 0}], readers(0.8, 0.1, probability))[0].quality
        for probability in (0.9, 0.5)
    )
    assert 0 < statement < reason


def test_names_of_the_motion_have_their_capitals():
    assert named("The bay of cuba is a guantanamo bay", "We should close Guantanamo Bay") == (
        "The Bay of cuba is a Guantanamo Bay"
    )


def test_a_point_says_more_than_the_motion():
    assert not says_more("We should ban gambling, please", MOTION)
    assert says_more("We should ban gambling because casinos cheat", MOTION)


def test_a_clause_that_says_what_there_is_reads_worse():
    about = frozenset({"gambl"})
    texts = "There is a huge market for gambling", "There is no proper market for gambling"
    there_is, there_is_none = (Clause(text, 0, 0.9, 0, (), ()) for text in texts)
    assert 0 < form(there_is, about) < form(there_is_none, about)
