"""What stands in file names, titles and transcripts never changes the terminal it is shown in."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipeline.cli import main_group
from pipeline.cli.console import shown
from pipeline.errors import RostrumError
from pipeline.records import Argument, Motion, Speech
from pipeline.run.store import Store
from pipeline.stage import STAGES
from tests.synthetic_run import MadeUp, write_run

RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Clears the screen, sets the window's title, turns the direction of writing round.
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b2J\u202e"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Store:
    names = [f"{name}{ESCAPES}" for name in ("motion", "anna", "bert", "broken")]
    motion = Motion(id=names[0], text=f"We should.{ESCAPES}")
    speeches = [
        Speech(id=name, motion=motion.id, stance=stance, speakers=(f"Dr {name}",))
        for name, stance in zip(names[1:], ("pro", "con", "con"), strict=True)
    ]
    arguments = [Argument(id="a", motion=motion.id, stance="pro", title=f"Because.{ESCAPES}")]
    made = MadeUp((motion,), speeches, arguments, seconds=4.0, fails=frozenset({names[3]}))
    return write_run(tmp_path_factory.mktemp("run"), made)


def called(*arguments: str) -> Result:
    return CliRunner().invoke(main_group, list(arguments))


def test_show(run: Store) -> None:
    result = called("show", run.root)
    assert r"anna\x1b[2J" in result.output
    assert not RAW.search(result.output)
    for stage in STAGES:
        for name in (f"anna{ESCAPES}", f"motion{ESCAPES}"):
            result = called("show", run.root, name, stage)
            assert not RAW.search(result.output), stage
            assert not RAW.search(str(result.exception))


def test_check(tmp_path: Path) -> None:
    (tmp_path / f"talk{ESCAPES}.wav").write_bytes(b"")
    (tmp_path / "speeches.csv").write_text(f"id,file\none,gone{ESCAPES}.wav\n", encoding="utf-8")
    result = called("check", str(tmp_path))
    assert r"gone\x1b[2J" in result.output
    assert not RAW.search(result.output)


def test_paths_on_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program gets a file's name as it is."""
    assert shown(Path(f"talk{ESCAPES}.srt")) == f"talk{ESCAPES}.srt"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert not RAW.search(shown(Path(f"talk{ESCAPES}.srt")))


def test_errors() -> None:
    assert str(RostrumError(f"talk{ESCAPES}.wav: is empty")) == (
        r"talk\x1b[2J\x1b]0;owned\x07\x9b2J\u202e.wav: is empty"
    )
