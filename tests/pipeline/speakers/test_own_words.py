"""Sides from a debater's own words."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from pipeline.arrays import Matrix
from pipeline.speakers.own_words import odds_in_debate, own_side, passages, side_odds
from pipeline.speakers.stage import SpeakersSettings
from pipeline.speakers.stance_model import StanceModel, load_stance_model
from tests.models import needs
from tests.pipeline.speakers.debates import found, people, told

GOOD = "The park is good for all of us and the children are happy there every day of the week."
BAD = "The park is bad for all of us and the children are unhappy there every day of the week."


class WordsOnly:
    """Says that 'good' is for any motion and against its denial, and the other way round for 'bad'."""

    elsewhere = ("Nothing is said here.",)

    def logarithms(self, motion: str, texts: Sequence[str]) -> Matrix:
        sign = -1.0 if " not " in motion else 1.0
        odds = np.array([text.count("good") - text.count("bad") for text in texts], dtype=np.float64) * sign
        return np.stack([odds / 2, -odds / 2, np.zeros(len(texts))], axis=1)


MODEL = cast(StanceModel, WordsOnly())


def test_passages_keep_the_place_of_their_first_sentence() -> None:
    cut = passages(told(f"A: {GOOD} | {BAD} | {GOOD} | {GOOD} | {BAD}\nB: Yes.\nA: {GOOD}"))
    assert [passage.first for passage in cut] == [0, 3, 6]
    assert cut[0].text.count("park") == 3


def test_words_for_the_motion_are_of_that_side() -> None:
    assert side_odds(MODEL, "Parks should stay", told(f"A: {GOOD} | {GOOD}")) > 0
    assert side_odds(MODEL, "Parks should stay", told(f"A: {BAD} | {BAD}")) < 0
    assert side_odds(MODEL, "Parks should stay", told("A: Yes.")) == 0


def test_a_declaration_outweighs_the_words() -> None:
    said = told(f"A: {GOOD} | So vote against this motion.")
    assert own_side(MODEL, "Parks should stay", said) < 0.5
    assert own_side(MODEL, "Parks should stay", said, declared=False) > 0.5


def test_debaters_are_compared_with_each_other() -> None:
    both = told(f"A: {GOOD} | {GOOD} | {GOOD}\nB: {GOOD} | {BAD} | {GOOD}")
    odds, clues = odds_in_debate(MODEL, "Parks should stay", both, ["A", "B"])
    assert odds["A"] == pytest.approx(-odds["B"])
    assert odds["A"] > 0
    assert {(clue.voice, clue.side) for clue in clues} == {("A", "pro"), ("B", "con")}


@needs("bge-small-en-v1.5-int8")
def test_the_model_that_comes_with_rostrum() -> None:
    load_stance_model.cache_clear()
    who = people(
        found(
            """
A: Animals suffer in the cages of zoos. | No animal should live behind bars for our entertainment.
| It is cruel to lock up elephants.
B: Zoos save species that would be extinct without them. | Children learn to love animals there.
| Good zoos protect animals, and closing them would be a disaster.
""",
            settings=SpeakersSettings(side_threshold=0.5),
        )
    )
    assert (who["A"].side, who["B"].side) == ("pro", "con")
    assert {one.kind for one in who["A"].evidence} == {"own words"}
