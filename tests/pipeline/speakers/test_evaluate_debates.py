"""`rostrum evaluate debates` on two made-up debates."""

import json
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.speakers.evaluate.arguments import SENTENCES, of_debaters_and_moderators, read_labelled_sentences
from pipeline.speakers.evaluate.data import read_debate, read_debates, without_names
from pipeline.speakers.evaluate_debates import evaluate
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


def test_debaters_sentences_are_told_from_moderators(folder: Path) -> None:
    labelled = of_debaters_and_moderators(read_debates(folder))
    group = labelled.groups[0]
    assert group.motion == "Zoos should be closed"
    assert len(group.sentences) == len(group.argues)
    assert 0 < sum(group.argues) < len(group.argues)


def test_sentences_that_argue_are_told_from_others(tmp_path: Path) -> None:
    try:
        from pipeline.sentence_roles import load_classifier

        load_classifier()
    except RostrumError as error:
        pytest.skip(str(error))
    kinds = {
        "Zoos should be closed because the animals suffer.": "Claim",
        "Most animals in zoos live shorter lives.": "Premise",
        "Thank you very much, Senator.": "none",
        "You have two minutes.": "none",
    }
    file = tmp_path / SENTENCES
    file.write_text("".join(f"{json.dumps({'text': text, 'kind': kind})}\n" for text, kind in kinds.items()))
    table = {row["method"]: row for row in evaluate(tmp_path, None).rows}
    assert {row["table"] for row in table.values()} == {"arguments"}
    assert table["rules and classifier"]["auc"] == table["rules and classifier"]["f1"] == 1.0
    assert table["all sentences"]["f1"] == pytest.approx(2 / 3)
    assert table["all sentences"]["auc"] == 0.5
    file.write_text('{"text": 1}\n')
    with pytest.raises(RostrumError, match="sentences.jsonl:1: not a sentence"):
        read_labelled_sentences(tmp_path)
