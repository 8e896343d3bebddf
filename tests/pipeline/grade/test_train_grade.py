"""Training of a scoring model: what it learns of made-up answers, and of Mohler's where they are."""

import os
from pathlib import Path

import pytest

from pipeline.content.rouge import Terms
from pipeline.errors import RostrumError
from pipeline.grade.model import graded, kind_of, lacking
from pipeline.grade.train_grade import train_scoring_model

HEADER = "prompt,response,score,reference"


def trained(folder: Path, lines: list[str]):
    (folder / "answers.csv").write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return train_scoring_model(folder, encoder=None, references=1, terms=Terms("stems"))


def test_answers_with_the_words_of_the_reference_score_higher(tmp_path: Path) -> None:
    said = ["rain", "rain falls", "rain falls from clouds", "rain falls from clouds in spring"]
    expected = said[-1]
    lines = [f"q{prompt},{text},{score},{expected}" for prompt in range(6) for score, text in enumerate(said)]
    found = trained(tmp_path, lines)
    assert found.agreement.kappa is not None
    assert found.agreement.kappa > 0.9
    assert (found.lowest, found.highest) == (0, 3)


def test_scores_that_are_all_the_same_teach_nothing(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="all responses have the same score"):
        trained(tmp_path, [f"q{prompt},rain,3,rain falls" for prompt in range(4)])


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
def test_mohlers_answers_by_their_words() -> None:
    folder = Path(os.environ["ROSTRUM_DATA"], "mohler-asag")
    found = train_scoring_model(folder, encoder=None, references=4, terms=Terms("stems"))
    assert found.agreement.kappa is not None
    assert found.agreement.kappa > 0.4
    assert found.agreement.second_person_kappa == pytest.approx(0.491, abs=0.001)


def speech(points: int) -> str:
    """A speech with this many reasons and pieces of evidence."""
    argued = [f"Number {i} helps because studies show it." for i in range(points)]
    return " ".join([*argued, *["It is as it is."] * (6 - points)])


def test_speeches_are_rated_by_what_they_argue_without_references(tmp_path: Path) -> None:
    rows = [f"m{motion},{speech(points)},{points}" for motion in range(6) for points in range(6)]
    (tmp_path / "speeches.csv").write_text("\n".join(["prompt,response,score", *rows]))
    found = train_scoring_model(tmp_path, encoder=None, references=1, terms=Terms("stems"), content=False)
    assert {kind_of(name) for name in found.weights} == {"argument", "language"}
    assert found.agreement.kappa is not None
    assert found.agreement.kappa > 0.9
    # a speech without references is scored, and a better argued one higher
    assert lacking(found, (), None) is None
    good, poor = (graded(speech(points), (), None, found) for points in (5, 1))
    assert good.score > poor.score + 2
    assert any(reason.kind == "argument" for reason in good.reasons)
    without = train_scoring_model(
        tmp_path, encoder=None, references=1, terms=Terms("stems"), content=False, argument=False
    )
    assert {kind_of(name) for name in without.weights} == {"language"}
