"""Which questions the paper asks, on debates small enough to count by hand."""

import numpy as np
import pytest

from pipeline.counter.evaluate.asking import asked_about, in_setting, settings
from pipeline.counter.evaluate.debates import AnsweredDebate, outcomes
from pipeline.counter.evaluate.rows import candidate_rows
from tests.pipeline.counter.speeches import speech


def debate(answers: list[list[int]], kinds: list[str | None], motion: str = "m") -> AnsweredDebate:
    """Supporting speeches a, b, ... and opposing speeches 1, 2, ..., all by different speakers."""
    supporting = [speech(f"{motion}-{letter}", "Cat.", speakers=(letter,)) for letter in "abc"[: len(answers)]]
    opposing = [speech(f"{motion}-{number}", "Cat.", speakers=(str(number),)) for number in range(len(kinds))]
    known = np.array(answers, dtype=bool)
    return AnsweredDebate(motion, tuple(supporting), tuple(opposing), np.ones_like(known), known, tuple(kinds))


# a is answered twice explicitly, b once implicitly.
TWICE = debate([[1, 1, 0], [0, 0, 1]], ["explicit", "explicit", "implicit"])


def chance(asked: AnsweredDebate) -> list[float]:
    """What is right by chance, of each question."""
    return [accuracy for accuracy, _ in outcomes(asked, np.zeros(asked.allowed.shape))]


def test_the_other_speeches_answers_stay_candidates_whatever_their_kind() -> None:
    whole = asked_about(TWICE, [TWICE], "motion")
    assert settings([TWICE]) == ["all", "explicit", "implicit"]
    assert chance(in_setting(whole, "all")) == pytest.approx([2 / 3, 1 / 3])
    # a: two of three candidates are right; b has no explicit answer, and is not asked about
    assert chance(in_setting(whole, "explicit")) == pytest.approx([2 / 3])
    # b: one of three; a's explicit answers stay candidates
    assert chance(in_setting(whole, "implicit")) == pytest.approx([1 / 3])


def test_only_the_speeches_own_answers_of_the_other_kind_are_left_out() -> None:
    # a is answered in both ways, b explicitly; the last speech answers nobody
    mixed = debate([[1, 1, 0, 0], [0, 0, 1, 0]], ["explicit", "implicit", "explicit", None])
    whole = asked_about(mixed, [mixed], "motion")
    explicit, implicit = in_setting(whole, "explicit"), in_setting(whole, "implicit")
    # explicit: a has candidates 1, 3, 4 with one answer; b has all four with one answer
    assert chance(explicit) == pytest.approx([1 / 3, 1 / 4])
    # implicit: a has 2, 3, 4 with one answer; b has no implicit answer
    assert chance(implicit) == pytest.approx([1 / 3])
    # reciprocal rank over equal scores: of three (1 + 1/2 + 1/3) / 3, of four (1 + 1/2 + 1/3 + 1/4) / 4
    reciprocal = [rank for _, rank in outcomes(explicit, np.zeros((2, 4)))]
    assert reciprocal == pytest.approx([11 / 18, 25 / 48])


def test_a_question_needs_a_candidate_that_answers_and_one_that_does_not() -> None:
    # a: all three candidates are its answers; b: no answer
    trivial = debate([[1, 1, 1], [0, 0, 0]], ["explicit", "implicit", "implicit"])
    whole = asked_about(trivial, [trivial], "motion")
    assert [chance(in_setting(whole, each)) for each in ("all", "explicit", "implicit")] == [[], [], []]
    # a fourth speech that answers nobody makes a question of each, whatever is left of a's answers
    fourth = debate([[1, 1, 1, 0]], ["explicit", "implicit", "implicit", None])
    whole = asked_about(fourth, [fourth], "motion")
    found = [chance(in_setting(whole, each)) for each in ("all", "explicit", "implicit")]
    assert found == [[pytest.approx(3 / 4)], [pytest.approx(1 / 2)], [pytest.approx(2 / 3)]]


def test_an_answer_of_unknown_kind_counts_in_no_setting_but_all() -> None:
    unknown = debate([[1, 0, 0], [0, 1, 0]], [None, "explicit", None])
    whole = asked_about(unknown, [unknown], "motion")
    assert len(chance(whole)) == 2
    assert chance(in_setting(whole, "explicit")) == pytest.approx([1 / 3])


def test_retrieval_has_the_candidates_of_all_motions() -> None:
    other = debate([[1, 0]], ["implicit", None], motion="n")
    asked = asked_about(TWICE, [TWICE, other], "retrieval")
    assert chance(asked) == pytest.approx([2 / 5, 1 / 5])
    assert chance(in_setting(asked, "implicit")) == pytest.approx([1 / 5])


def test_the_table_of_what_is_asked() -> None:
    other = debate([[0, 1, 0]], ["implicit", "implicit", "implicit"], motion="n")
    debates = [asked_about(each, [each], "motion") for each in (TWICE, other)]
    found = {("motion", name): [in_setting(asked, name) for asked in debates] for name in ("all", "explicit")}
    rows = list(candidate_rows("trs", found))
    # each speech has one sentence of one word
    # all: a and b with three candidates each, n's speech with three; 2 + 1 + 1 answers among 9
    assert rows[0] == {
        "transcript": "trs",
        "protocol": "motion",
        "setting": "all",
        "method": "candidates",
        "config": "",
        "supporting": 3,
        "opposing": 6,
        "candidates": 3.0,
        "positives": pytest.approx(4 / 9),
        "sentences": 1.0,
        "tokens": 1.0,
    }
    assert (rows[1]["supporting"], rows[1]["opposing"], rows[1]["positives"]) == (1, 3, pytest.approx(2 / 3))
