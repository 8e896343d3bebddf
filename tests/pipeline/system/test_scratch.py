"""Temporary files go with the process that made them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.errors import StorageError
from pipeline.system import scratch
from pipeline.system.scratch import STALE_AFTER_SECONDS, Scratch

# Writes two files there and says where; ends when its input does, in the way that the second argument says.
SCRIPT = """
import os, sys
from pathlib import Path
from pipeline.system.scratch import Scratch

mine = Scratch(Path(sys.argv[1]))
for _ in range(2):
    mine.new(".flac").write_text("half of it")
print("written", flush=True)
sys.stdin.read()
if sys.argv[2] == "killed":
    os.kill(os.getpid(), 9)
"""


def process(folder: Path, end: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", SCRIPT, str(folder), end]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "written\n"
    return started


def end(started: "subprocess.Popen[str]") -> None:
    started.communicate()


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_process_that_ends_leaves_nothing(tmp_path: Path) -> None:
    end(process(tmp_path, "ended"))
    assert list(tmp_path.iterdir()) == []


def test_the_next_one_removes_what_a_killed_process_left_and_nothing_of_a_living_one(tmp_path: Path) -> None:
    killed, living = process(tmp_path, "killed"), process(tmp_path, "ended")
    try:
        end(killed)
        assert len(files(tmp_path)) == 6
        Scratch(tmp_path).clear()
        assert len(files(tmp_path)) == 3
    finally:
        end(living)
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").touch()
    (tmp_path / "photos").mkdir()
    (tmp_path / ("0" * 32)).symlink_to(tmp_path / "photos")
    (tmp_path / "photos" / "one.jpg").touch()
    Scratch(tmp_path).clear()
    assert (tmp_path / "photos" / "one.jpg").exists()
    assert (tmp_path / "thesis.docx").exists()


def test_where_nothing_tells_whether_its_process_lives_a_file_goes_when_it_is_old(tmp_path: Path) -> None:
    old, young = tmp_path / ("a" * 32), tmp_path / ("b" * 32)
    old.touch()
    young.touch()
    then = time.time() - STALE_AFTER_SECONDS - 1
    os.utime(old, (then, then))
    Scratch(tmp_path).clear()
    assert not old.exists()
    assert young.exists()


def test_without_locks_files_of_a_process_that_goes_on_writing_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its run lasts longer than it takes for a leftover to be removed."""

    def flock(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("pipeline.system.scratch.fcntl.flock", flock)
    mine = Scratch(tmp_path)
    first = mine.new()
    first.touch()
    then = time.time() - STALE_AFTER_SECONDS - 1
    os.utime(first.parent.with_suffix(".lock"), (then, then))
    mine.new().touch()
    Scratch(tmp_path).clear()
    assert first.exists()


def test_a_folder_of_somebody_else_s_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.system.scratch.tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"rostrum-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="belongs to another user; set TMPDIR"):
        scratch.new_file(".flac")
    assert list((tmp_path / "elsewhere").iterdir()) == []
