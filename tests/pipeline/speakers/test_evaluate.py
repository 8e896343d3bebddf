"""`rostrum evaluate debates` on two made-up debates."""

import json
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.speakers.evaluate.data import read_debate, read_debates, without_names
from pipeline.speakers.evaluate.table import evaluate
from tests.pipeline.speakers.debates import OXFORD, told

SIDES = {"for": ["HANNAH PRICE", "OMAR NASSER"], "against": ["TOM BECKER", "LUCY SHAW"], "moderator": ["PAULA REED"]}
VOTES = {
    "votes_before": {"for": 30, "against": 40, "undecided": 30},
    "votes_after": {"for": 50, "against": 45, "undecided": 5},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    turns = [{"speaker": one.voice, "sentences": list(one.sentences)} for one in told(OXFORD)]
    for name in ("first", "second"):
        content = {"motion": "Zoos should be closed", **SIDES, **VOTES, "turns": turns}
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_the_table(folder: Path) -> None:
    rows = evaluate(folder, None, rules_only=True).rows
    sides = {(row["transcript"], row["method"]): row["accuracy"] for row in rows if row["table"] == "sides"}
    assert sides["whole", "rostrum"] == sides["unnamed", "rostrum"] == 1.0
    assert sides["whole", "majority"] == sides["whole", "chance"] == 0.5
    # Omar asks for votes; for the other three the majority of a tie is 'for', which is right of Hannah alone.
    assert sides["own words", "declared, else majority"] == 0.5
    roles = [row for row in rows if row["table"] == "roles" and row["method"] == "rostrum"]
    assert {row["accuracy"] for row in roles} == {1.0}
    assert all(row["accuracy_low"] is not None for row in roles)


def test_figures_come_from_the_test_folder(folder: Path, tmp_path: Path) -> None:
    test = tmp_path / "test"
    test.mkdir()
    (folder / "second.json").rename(test / "second.json")
    assert {row["debates"] for row in evaluate(folder, test, rules_only=True).rows if row.get("debates")} == {1}


def test_reading(folder: Path) -> None:
    debate = read_debate(folder / "first.json")
    assert debate.sides["TOM BECKER"] == "con"
    assert debate.gain == (50 - 30) - (45 - 40)
    assert debate.roles["WOMAN"] == "questioner"


def test_labels_are_arbitrary_and_stay(folder: Path) -> None:
    debate = read_debate(folder / "first.json")
    said, labels = without_names(debate)
    assert without_names(debate) == (said, labels)
    assert not {utterance.voice for utterance in said} & set(debate.voices)
    assert [utterance.sentences for utterance in said] == [utterance.sentences for utterance in debate.said]


def test_what_is_no_debate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="no debate"):
        read_debates(tmp_path)
    (tmp_path / "a.json").write_text('{"motion": "x"}')
    with pytest.raises(RostrumError, match=r"a\.json: no debate: it lacks 'for'"):
        read_debates(tmp_path)
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(RostrumError, match="not JSON"):
        read_debates(tmp_path)
