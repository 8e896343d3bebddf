import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rapidfuzz.distance import Levenshtein

from pipeline.cli import main_group
from pipeline.text.noise import SHIPPED, learn, save

TEXT = "We should ban phones.\n\nThey distract, and they cost money.\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    said, heard = "we should ban the phones and wait", "we should van a phones wait"
    confusions = learn([(said.split(), heard.split())])
    save(confusions, tmp_path / "noise.json")
    return tmp_path / "noise.json"


def noise(*arguments: str, text: str = TEXT) -> str:
    found = CliRunner().invoke(main_group, ["noise", *arguments], input=text)
    assert found.exit_code == 0, found.output
    return found.stdout


def test_no_errors_at_zero_and_lines_stay_lines(table: Path) -> None:
    assert noise("--wer", "0", "--table", str(table)) == TEXT
    assert noise("--wer", "0.4", "--table", str(table)).count("\n") == 3


def test_the_same_seed_makes_the_same_errors(table: Path, tmp_path: Path) -> None:
    (tmp_path / "speech.txt").write_text(TEXT)
    arguments = [str(tmp_path / "speech.txt"), "--wer", "0.5", "--table", str(table)]
    assert noise(*arguments) == noise(*arguments) != TEXT


def test_learning_from_debates(tmp_path: Path) -> None:
    for kind, content in {"asr": "we[0.0,0.2] van[0.2,0.4] it[0.4,0.6]", "trs.txt": "We ban it."}.items():
        folder = tmp_path / "speeches" / kind
        folder.mkdir(parents=True)
        (folder / f"ann_1_topic_pro_opening.{kind}").write_text(content)
    assert noise("--wer", "1", "--from", str(tmp_path), text="ban") == "van\n"
    trained = CliRunner().invoke(
        main_group, ["train", "noise", "--data", str(tmp_path), "--out", str(tmp_path / "noise.json")]
    )
    assert trained.exit_code == 0
    assert noise("--wer", "1", "--table", str(tmp_path / "noise.json"), text="ban") == "van\n"


def test_a_table_comes_with_rostrum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    said = " ".join(["we should not let children have their phones in school because they ring"] * 20)
    heard = noise("--wer", "0.3", text=said)
    words = len(said.split())
    assert round(0.3 * words) <= Levenshtein.distance(said.split(), heard.split()) + 2 <= round(0.3 * words) + 4
    assert "CC BY 4.0" in json.loads(SHIPPED.read_text())["source"]


def test_a_table_that_is_not_there_is_said_with_what_makes_one(tmp_path: Path) -> None:
    found = CliRunner().invoke(
        main_group, ["noise", "--wer", "0.1", "--table", str(tmp_path / "noise.json")], input=TEXT
    )
    assert "noise.json: no table of confusions there" in str(found.exception)


def test_the_table_of_the_model_cache_is_the_default(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    assert noise("--wer", "1", text="ban") == "van\n"
