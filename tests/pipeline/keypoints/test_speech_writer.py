"""Key points that a small language model writes: which of them are kept, and what they are of."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest

from pipeline.arrays import Matrix
from pipeline.keypoints.speech_writer import SpeechWriter, shortened, stands_alone, tidy, whole
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matchers.words import TokenOverlap

MOTION = "We should ban phones in schools."
TEXTS = (
    "Phones distract pupils from their lessons",
    "They also make pupils sad",
    "Phones distract pupils all day",
    "Teachers lose time over phones",
)
SPEAKERS = ("anna", "anna", "ben", "ben")


@dataclass
class Small:
    """A model that writes these reasons of each speech, in turn."""

    reasons: list[list[str]]
    asked: list[str] = field(default_factory=list)

    def ask(self, prompt: Any, questions: Sequence[Mapping[str, str]], checks: Any) -> list[Any]:
        self.asked += [prompt.filled(question) for question in questions]
        return [
            prompt.answer.model_validate_json(json.dumps({"reasons": own}))
            for own, _ in zip(self.reasons, questions, strict=True)
        ]


def stances(pro: float) -> Any:
    """A classifier for which every text supports the motion with this probability."""

    def logarithms(motion: str, texts: Sequence[str]) -> Matrix:
        return np.log(np.array([[pro * 0.8, (1 - pro) * 0.8, 0.2]] * len(texts)))

    return logarithms


def write(small: Small, pro: float = 0.99, stance: str | None = "pro") -> list[tuple[str, int]]:
    writer = SpeechWriter(cast("LargeModel", small), stances(pro))
    made = writer(MOTION, TEXTS, TokenOverlap(), speakers=SPEAKERS, stance=stance, fewest=1)
    return [(point.text, point.source) for point in made.key_points]


def test_each_speech_is_read_by_itself_and_reasons_are_of_its_sentences() -> None:
    small = Small([["Phones distract pupils from lessons."], ["Teachers lose time over phones."]])
    assert write(small) == [("Phones distract pupils from lessons", 0), ("Teachers lose time over phones", 3)]
    first, second = small.asked
    assert "for the motion" in first
    assert "make pupils sad" in first
    assert "make pupils sad" not in second


def test_two_speeches_with_the_same_reason_give_one_key_point() -> None:
    small = Small([["Phones distract pupils from lessons."], ["Phones distract pupils from lessons all day."]])
    assert len(write(small)) == 1


def test_the_other_side_s_reasons_are_not_taken() -> None:
    reasons = [["Phones distract pupils from lessons."], []]
    assert write(Small(reasons), pro=0.02) == []
    assert len(write(Small(reasons), pro=0.02, stance="con")) == 1
    assert len(write(Small(reasons), pro=0.02, stance=None)) == 1


def test_what_nobody_said_is_not_taken() -> None:
    assert write(Small([["Radio waves cause cancer in children."], []])) == []


def test_nothing_said_nothing_written() -> None:
    made = SpeechWriter(cast("LargeModel", Small([])), stances(0.9))(MOTION, [], TokenOverlap(), stance="pro")
    assert (made.key_points, made.scores.shape) == ((), (0, 0))


@pytest.mark.parametrize(
    ("reason", "stands"),
    [
        ("Phones distract pupils from lessons", True),
        ("They distract pupils from lessons", False),
        ("It is bad for pupils to look at screens", False),
        ("We should ban phones in schools", False),
        ("The speaker says that pupils lose time", False),
        ("Phones distract pupils. Teachers lose time", False),
        ("Phones distract pupils from the", False),
        ("Distraction", False),
        ("Ties the attention of pupils to screens", False),
        ("The level of distraction here isn't small but the harm is huge", False),
        ("Phones " + "very " * 15 + "distract pupils", False),
    ],
)
def test_a_reason_is_one_whole_sentence_that_says_more_than_the_motion(reason: str, stands: bool) -> None:
    assert stands_alone(reason, MOTION, 15) == stands


@pytest.mark.parametrize(
    ("reason", "tidied"),
    [
        ("Firstly, we believe that phones distract pupils.", "Phones distract pupils"),
        ("The speaker argues that  phones distract pupils ", "Phones distract pupils"),
        ("Because phones distract pupils", "Phones distract pupils"),
        ("Soccer teaches pupils to share", "Soccer teaches pupils to share"),
    ],
)
def test_what_introduces_a_reason_is_left_out(reason: str, tidied: str) -> None:
    assert tidy(reason) == tidied


@pytest.mark.parametrize(
    ("reason", "shorter"),
    [
        ("Phones distract pupils", "Phones distract pupils"),
        ("Phones distract pupils from lessons, which is bad for all of them", "Phones distract pupils from lessons"),
        ("Phones distract pupils and teachers and cost time and money and more", "Phones distract pupils and teachers"),
        (
            "Phones are a burden on pupils of every single school",
            "Phones are a burden on pupils of every single school",
        ),
    ],
)
def test_a_long_reason_loses_its_last_parts(reason: str, shorter: str) -> None:
    assert shortened(reason, 6) == shorter


def test_a_reason_that_the_model_could_not_finish_loses_its_last_part() -> None:
    begun = "Wind power meets the growing demand for electricity and the need for " + "many " * 20
    assert whole(begun[:140]) == "Wind power meets the growing demand for electricity"
    assert whole("x" * 140) == ""
    assert whole("Wind power meets the demand and costs little.") == "Wind power meets the demand and costs little."
