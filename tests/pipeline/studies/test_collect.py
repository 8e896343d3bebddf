"""`rostrum annotate check`, who is left out, and the whole way by the commands."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.studies.collect import problems
from pipeline.studies.labels import Decision, Unit
from pipeline.studies.quality import WorkerQuality, _by_agreement, _with_agreement
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


@pytest.mark.parametrize(
    ("kappa", "compared", "usual", "is_out"),
    [
        (0.05, 8, 0.8, True),
        (0.2, 8, 0.8, False),  # may well be chance
        (0.2, 30, 0.8, True),  # who guesses has this or more in one of seven times
        (0.2, 30, 0.4, False),  # nobody finds it easy
        (0.5, 30, 0.8, False),
        (0.05, 7, 0.8, False),
    ],
)
def test_who_hardly_agrees_is_left_out_if_others_do(kappa: float, compared: int, usual: float, is_out: bool) -> None:
    worker = WorkerQuality("w1", 30, 0, 30, None, 0, kappa=kappa, compared=compared)
    assert bool(_by_agreement(worker, usual).left_out) == is_out


def test_guessers_are_found_and_careful_workers_stay() -> None:
    """Fifty workers with thirty decisions each between two, three of whom guess, twenty times."""
    missed = wrong = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        truth = random.integers(2, size=60)
        decided = []
        for worker in range(50):
            for number in random.permutation(60)[:30]:
                is_true = random.random() < (0.5 if worker < 3 else 0.9)
                value = "yn"[truth[number] if is_true else 1 - truth[number]]
                decided.append(Decision(f"w{worker}", Unit(str(number), "q", ""), value))
        rated = [_with_agreement(WorkerQuality(f"w{worker}", 30, 0, 30, None, 0), decided, ()) for worker in range(50)]
        usual = float(np.median([one.kappa for one in rated if one.kappa is not None]))
        out = {one.worker for one in rated if _by_agreement(one, usual).left_out}
        missed += len({"w0", "w1", "w2"} - out)
        wrong += len(out - {"w0", "w1", "w2"})
    assert wrong == 0
    assert missed <= 6, "of 60"
