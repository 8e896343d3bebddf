"""Locks of one user: nobody else can hold them, something else in their place is told, and so is a wait."""

import fcntl
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import RostrumError
from pipeline.report.site import opened
from pipeline.system import lock
from pipeline.system.lock import is_held, locked

HOLDS = """
import sys
from pathlib import Path
from pipeline.system.lock import locked
with locked(Path(sys.argv[1])):
    print("holds", flush=True)
    sys.stdin.readline()
"""


def held_elsewhere(path: Path) -> "subprocess.Popen[str]":
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", HOLDS, str(path)]
    process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "holds\n"
    return process


def test_a_wait_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(lock, "TELL_SECONDS", 0.1)
    process = held_elsewhere(tmp_path / "a.lock")
    assert is_held(tmp_path / "a.lock")
    threading.Timer(0.5, process.communicate, ["\n"]).start()
    with locked(tmp_path / "a.lock", "waiting for a test"):
        assert caplog.messages == ["waiting for a test"]
    assert not is_held(tmp_path / "a.lock")


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    process = held_elsewhere(tmp_path / "a.lock")
    process.kill()
    process.communicate()
    assert not is_held(tmp_path / "a.lock")
    with locked(tmp_path / "a.lock"):
        assert is_held(tmp_path / "a.lock")


def test_only_its_user_can_open_a_lock(tmp_path: Path) -> None:
    with locked(tmp_path / "a.lock"):
        assert (tmp_path / "a.lock").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_something_else_in_the_place_of_a_lock(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "report" / "report.lock"
    path.parent.mkdir()
    path.mkdir() if kind == "folder" else path.symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(RostrumError, match=r"report\.lock: cannot be used as a lock: .*; remove it"),
        opened(path.parent),
    ):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_drive_without_locks_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: Any) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    began = time.monotonic()
    with opened(tmp_path / "report"):
        assert "report.lock" in os.listdir(tmp_path / "report")
    assert time.monotonic() - began < 5
