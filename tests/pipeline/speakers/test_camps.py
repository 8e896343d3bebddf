"""Sides that are found together."""

import pytest

from pipeline.speakers.camps import Clue, side_probabilities


def declares(voice: str, side: str) -> Clue:
    return Clue("own side", voice, 0, "", side=side)  # type: ignore[arg-type]


def partners(one: str, other: str) -> Clue:
    return Clue("partner", one, 0, "", other=other, together=True)


def opponents(one: str, other: str) -> Clue:
    return Clue("opponent", one, 0, "", other=other)


def test_partners_and_opponents_carry_a_side_on() -> None:
    clues = [declares("a", "pro"), partners("a", "b"), opponents("b", "c"), partners("c", "d")]
    pro = side_probabilities(["a", "b", "c", "d"], clues, (), {})
    assert pro["a"] > 0.7
    assert pro["b"] > 0.7
    assert pro["c"] < 0.3
    assert pro["d"] < 0.35


def test_without_any_side_camps_have_no_names() -> None:
    pro = side_probabilities(["a", "b"], [opponents("a", "b")], (), {})
    assert pro["a"] == pytest.approx(0.5)


def test_contrary_clues_cancel() -> None:
    pro = side_probabilities(["a"], [declares("a", "pro"), declares("a", "con")], (), {})
    assert pro["a"] == pytest.approx(0.5)


def test_twenty_debaters_are_solved_as_well() -> None:
    voices = [str(number) for number in range(20)]
    clues = [declares("0", "pro"), *(partners(voices[0], other) for other in voices[1:10])]
    clues += [opponents("0", other) for other in voices[10:]]
    pro = side_probabilities(voices, clues, (), {})
    assert all(pro[voice] > 0.6 for voice in voices[:10])
    assert all(pro[voice] < 0.4 for voice in voices[10:])


def test_nobody_debates() -> None:
    assert side_probabilities([], [], (), {}) == {}
