"""`rostrum annotate check`, and the whole way by the commands."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.studies.collect import problems
from pipeline.studies.study import StudyFolder, journal
from tests.pipeline.studies.conftest import Make
from tests.pipeline.studies.people import Crowd, Person


@pytest.fixture
def answered(make: Make, arguments: Path) -> StudyFolder:
    folder = make("pairs", arguments)
    people = {sheet.worker: Person(noise=0.0) for sheet in folder.study.sheets}
    Crowd(folder, people, lambda item: {"vote": "a1"}).answer_everything()
    return folder


def test_a_study_in_order_has_no_problems(answered: StudyFolder) -> None:
    assert problems(answered) == []


def test_each_damage_is_one_line(answered: StudyFolder) -> None:
    path = journal(answered, "w1")
    lines = path.read_text().splitlines()
    good = json.loads(next(line for line in lines if '"answers"' in line))
    other = {**good, "item": "i9999", "number": "x"}
    wrong = {**good, "number": "y", "answers": {**good["answers"], "reason": "short"}}
    path.write_text("\n".join([*lines, json.dumps(other), json.dumps(wrong), '{"worker": "w1", "it']) + "\n")
    (path.parent / "stranger.jsonl").write_text("")
    (answered.path / "guidelines.md").unlink()
    found = problems(answered)
    for part in ("guidelines.md: missing", "i9999", "30 characters", "not an answer", "stranger.jsonl"):
        assert [line for line in found if part in line], part
    done = CliRunner().invoke(main_group, ["annotate", "check", str(answered.path), "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["problems"] == found


def test_the_whole_way_by_commands(arguments: Path, tmp_path: Path) -> None:
    def rostrum(*words: str) -> str:
        done = CliRunner().invoke(main_group, ["annotate", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    study = tmp_path / "study"
    assert rostrum("make", "pairs", str(arguments), "--out", str(study), "--workers", "3").strip() == str(study)
    pages = rostrum("serve", str(study), "--static", str(tmp_path / "forms")).split()
    assert [Path(page).name for page in pages] == ["w1.html", "w2.html", "w3.html"]
    results = tmp_path / "results.csv"
    items = [item["id"] for item in json.loads((study / "study.json").read_text())["items"]]
    reasons = [f"Reason number {number} is not like any other one here." for number in range(3 * len(items))]
    rows = [
        f"p{person},{item},{'a1' if person else 'a2'},{reasons[person * len(items) + place]},none"
        for person in range(3)
        for place, item in enumerate(items)
    ]
    results.write_text("worker,item,answer.vote,answer.reason,answer.stance\n" + "\n".join(rows) + "\n")
    content = json.loads(rostrum("collect", str(study), "--answers", str(results), "--keep", "w1", "--json"))
    assert content["signature"]["answers"] == 3 * len(items)
    assert "answered" in rostrum("check", str(study))
    labels = (study / "collected" / "labels.csv").read_text().splitlines()
    assert len(labels) == 1 + 2 * len(items), "the vote and the own view"
