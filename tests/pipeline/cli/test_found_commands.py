"""`rostrum evaluate` and `rostrum train` have what is in the folder of evaluations, and nothing else."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from tests.members import add_member

COMMAND = """
    \"\"\"Whether shouting helps (Somebody 2020).\"\"\"
    import click
    from pipeline.evaluation.result import Evaluation

    @click.command()
    @click.option("--volume", default=3, help="How loud.")
    def command(data, test, progress, volume):
        \"\"\"How well shouting works.\"\"\"
        progress(0.5, "shouting")
        rows = ({"method": "shout", "accuracy": volume / 10, "data": (test or data).name},)
        return Evaluation(name="shouting", signature={"seed": 0}, rows=rows, notes=("Loud.",))
"""
TRAINING = """
    \"\"\"A louder voice.\"\"\"
    import click
    from pipeline.evaluation.result import Trained

    @click.command()
    @click.option("--out", help="Where it goes.")
    def command(data, progress, out):
        \"\"\"Learn to shout.\"\"\"
        return Trained(data / "voice", ("learned",))
"""


@pytest.fixture
def shouting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for file, source in (("evaluate_shouting.py", COMMAND), ("train_voice.py", TRAINING)):
        add_member(monkeypatch, tmp_path / "added", "pipeline.prosody", file, source)


def rostrum(*arguments: str) -> str:
    found = CliRunner().invoke(main_group, list(arguments), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.mark.usefixtures("shouting")
def test_an_evaluation_is_one_file_in_a_room(tmp_path: Path) -> None:
    assert "shouting Whether shouting helps (Somebody 2020)." in " ".join(rostrum("evaluate", "--help").split())
    assert "--volume INTEGER" in rostrum("evaluate", "shouting", "--help")
    arguments = ["evaluate", "shouting", "--data", str(tmp_path)]
    found = json.loads(rostrum(*arguments, "--volume", "5", "--json"))
    assert found["name"] == "shouting"
    assert found["rows"] == [{"method": "shout", "accuracy": 0.5, "data": tmp_path.name}]
    assert "tables" not in found
    table = rostrum(*arguments, "--test", str(tmp_path / "added"))
    assert "0.300" in table
    assert "added" in table
    assert table.splitlines()[-2:] == ["Loud.", "signature: seed=0"]


@pytest.mark.usefixtures("shouting")
def test_a_model_to_train_is_one_file_in_it(tmp_path: Path) -> None:
    assert "voice A louder voice." in " ".join(rostrum("train", "--help").split())
    assert rostrum("train", "voice", "--data", str(tmp_path)) == f"{tmp_path}/voice\n"


def test_a_mistyped_name_gets_a_suggestion() -> None:
    found = CliRunner().invoke(main_group, ["evaluate", "keypoint"])
    assert found.exit_code == 2
    assert "no command 'keypoint'; did you mean keypoints?" in found.stderr
