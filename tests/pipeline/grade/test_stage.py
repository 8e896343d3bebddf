"""The stage with a model that was trained on a table of answers."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli.evaluate import train
from pipeline.errors import RostrumError
from pipeline.grade.stage import GradeSettings, grade
from pipeline.records import ExpectedTexts
from pipeline.report.markdown import page
from pipeline.stage import Skip, all_stages
from pipeline.text import sentences
from tests.pipeline.content.test_evaluate_content import write
from tests.talk import spoken


@pytest.fixture(autouse=True)
def _models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    try:
        sentences.punkt_folder()
    except RostrumError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))


def test_without_a_model_nothing_is_scored_and_it_is_said_how_to_get_one() -> None:
    with pytest.raises(Skip, match="rostrum train grade"):
        grade(spoken(["Hello."]), None, None, settings=GradeSettings())
    assert grade.model is not None
    assert grade.model(GradeSettings()) == {}
    assert "grade" in {each.name for each in all_stages()}


def test_a_trained_model_scores_what_is_said(tmp_path: Path) -> None:
    data = write(tmp_path / "data", score_other=["1", "2", "3", "4"])
    arguments = ["grade", "--data", str(data), "--encoder", "none", "--references", "1"]
    result = CliRunner().invoke(train, arguments)
    assert result.exit_code == 0, result.output
    assert "72 responses to 6 prompts; on prompts left out: quadratic weighted kappa 1.0" in result.stderr
    assert "(a second person: " in result.stderr
    assert result.stdout.strip() == str(tmp_path / "models" / "score.json")
    expected = ExpectedTexts(texts=("word1 word2 word3 word4 word5 word6 word7 word8 word9 word10",))
    settings = GradeSettings()
    said = ("word1 word2 word3 word4 word5 word6 word7 word8 well then", "so well then so well then so well then")
    good, poor = (grade(spoken([each]), expected, None, settings=settings) for each in said)
    assert good.score > poor.score + 2
    assert poor.lowest <= poor.low <= poor.score <= poor.high
    assert {reason.kind for reason in good.reasons} == {"content", "language"}
    assert sum(reason.share for reason in good.reasons) == pytest.approx(1.0, abs=1e-3)
    assert grade.model is not None
    assert "scoring model" in grade.model(GradeSettings())
    text = page("grade", good)
    assert f"**{good.score:.2f}** of 5" in text
    assert "content" in text
    with pytest.raises(Skip, match="no references"):
        grade(spoken(["word1"]), None, None, settings=GradeSettings())


def test_a_model_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    settings = GradeSettings(model=str(tmp_path / "none.json"))
    with pytest.raises(RostrumError, match="cannot be read"):
        grade(spoken(["word1"]), None, None, settings=settings)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["p,a,a,1", "p,a,b,2"], "responses to one prompt only"),
        (["p,a,a,1", "q,a,b,1"], "all responses have the same score"),
    ],
)
def test_too_little_to_learn_from_is_said(tmp_path: Path, lines: list[str], message: str) -> None:
    (tmp_path / "responses.csv").write_text("\n".join(["prompt,reference,response,score", *lines]))
    arguments = ["grade", "--data", str(tmp_path), "--encoder", "none", "--references", "1"]
    result = CliRunner().invoke(train, arguments)
    assert isinstance(result.exception, RostrumError)
    assert message in str(result.exception)
