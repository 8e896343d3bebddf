"""Candidates of speeches: on whose side they are, and what makes a good one."""

import numpy as np
import pytest

from pipeline.keypoints.spoken import Readers, form, named, reasoning, says_more, spoken_candidates
from pipeline.keypoints.stretches import Clause
from pipeline.records import Sentence
from pipeline.segment.stage import Sentences
from pipeline.sentence_roles import SentenceRole

MOTION = "We should ban gambling"


def spoken(*texts, method="pauses of 0.25 s"):
    return Sentences(
        sentences=tuple(Sentence(text=text, start=i, end=i + 1, first=i, last=i + 1) for i, text in enumerate(texts)),
        method=method,
    )


def readers(supports, opposes):
    """Readers to whom every text is as probably for the motion and against it."""
    each = np.log([[supports, opposes, 1 - supports - opposes]])
    return Readers(
        lambda motion, texts: np.repeat(each, len(texts), axis=0),
        lambda texts, motion: [SentenceRole("argument", 0.9, 0.9) for _ in texts],
    )


def candidates(text, stance, supports=0.8, opposes=0.1):
    found = spoken_candidates(MOTION, stance, [spoken(text)], [{0: 0}], readers(supports, opposes), most_words=15)
    return [candidate.text for candidate in found]


def test_a_reason_is_a_candidate_of_its_own_side_only():
    said = "because gambling takes money from poor people and"
    assert candidates(said, "pro") == ["Gambling takes money from poor people"]
    assert candidates(said, "con") == []
    assert candidates(said, None) == ["Gambling takes money from poor people"]


def test_the_bare_motion_is_no_candidate():
    assert candidates("so we should ban gambling", "pro") == []


def test_the_motion_with_a_place_is_no_candidate():
    assert candidates("so we should ban gambling in all western democracies", "pro") == []


def test_what_is_in_no_sentence_that_claims_is_no_candidate():
    said = spoken("gambling takes money from poor people")
    assert spoken_candidates(MOTION, "pro", [said], [{}], readers(0.8, 0.1), most_words=15) == []


def test_what_seems_to_be_for_the_other_side_counts_a_little_less():
    likely, unlikely, not_at_all = reasoning(np.log([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.05, 0.75, 0.2]]), "pro")
    assert likely > unlikely > 0.5 * likely
    assert not_at_all == 0.0


def test_without_a_side_a_reason_is_what_is_not_neither():
    assert reasoning(np.log([[0.3, 0.5, 0.2]]), None) == pytest.approx(0.8)


def test_a_clause_about_what_was_named_before_reads_worse():
    about = frozenset({"gambl"})
    known, new = (Clause("The drug takes money from poor people", 0, 0.9, 0, names) for names in (("drug",), ()))
    assert 0 < form(known, about) < form(new, about)


def test_names_of_the_motion_have_their_capitals():
    assert named("The bay of cuba is a guantanamo bay", "We should close Guantanamo Bay") == (
        "The Bay of cuba is a Guantanamo Bay"
    )


def test_a_point_says_more_than_the_motion():
    assert not says_more("We should ban gambling, please", MOTION)
    assert says_more("We should ban gambling because casinos cheat", MOTION)
