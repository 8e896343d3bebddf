"""One process at a time writes a run. Others wait, or say who it is; nothing that is in use is removed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rostrum
from pipeline.cli import main_group
from pipeline.errors import RostrumError
from pipeline.run import writer
from pipeline.run.store import Store
from pipeline.run.summary import load_known
from pipeline.run.writer import FILE, Writer, only_writer
from pipeline.system import lock
from tests.sounds import write_speech

ROOT = Path(__file__).parents[3]
# A run that stops in the middle of its first stage. Its attachment is stored, and its JSON is not.
HALF_STORED = """
import os, sys, time
from pathlib import Path
import rostrum
from pipeline.run.store import Store

write = Store.write

def wait(store, scope, name, content):
    if name == "ingest.json":
        print("stored", flush=True)
        sys.stdin.readline()
    write(store, scope, name, content)

Store.write = wait
rostrum.run(sys.argv[1], sys.argv[2], ["ingest"])
"""
OTHER = Writer(command="rostrum run", host="elsewhere", process=7, since="2026-01-02T03:04:05+00:00", token="t")


@pytest.fixture
def half_stored(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run in the middle of storing the first of two recordings, over a run that is complete."""
    write_speech(tmp_path / "corpus" / "one.wav")
    rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"])
    write_speech(tmp_path / "corpus" / "two.wav", start=3.0)
    command = [sys.executable, "-c", HALF_STORED, str(tmp_path / "corpus"), str(tmp_path / "run")]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "stored\n"
    yield process
    process.kill()
    process.communicate()


def go_on(process: "subprocess.Popen[str]") -> None:
    process.communicate("\n", timeout=60)
    assert process.returncode == 0


def clean(run: Path) -> Any:
    return CliRunner().invoke(main_group, ["clean", str(run)])


def test_clean_beside_a_run_deletes_nothing_and_says_who_writes(
    tmp_path: Path, half_stored: "subprocess.Popen[str]"
) -> None:
    found = clean(tmp_path / "run")
    assert isinstance(found.exception, RostrumError)
    assert f"{tmp_path}/run: is written by rostrum.run (process {half_stored.pid} on " in str(found.exception)
    go_on(half_stored)
    assert clean(tmp_path / "run").stderr == "0 files, 0 bytes deleted\n"
    assert rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]).failures == []


def test_a_second_run_waits_says_for_whom_and_does_nothing_twice(
    tmp_path: Path, half_stored: "subprocess.Popen[str]", caplog: pytest.LogCaptureFixture
) -> None:
    summaries = []

    def run() -> None:
        summaries.append(rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]))

    second = threading.Thread(target=run)
    second.start()
    while not caplog.messages:
        time.sleep(0.01)
    second.join(0.5)
    assert second.is_alive()
    assert f"{tmp_path}/run: waiting for rostrum.run (process {half_stored.pid} on " in caplog.messages[0]
    go_on(half_stored)
    second.join(60)
    (summary,) = summaries
    assert [outcome.state for item in summary.items for outcome in item.outcomes] == ["cached", "cached"]
    assert not (tmp_path / "run" / FILE).exists()


def test_a_run_that_was_killed_holds_up_nobody(tmp_path: Path, half_stored: "subprocess.Popen[str]") -> None:
    half_stored.send_signal(signal.SIGKILL)
    half_stored.wait()
    assert (tmp_path / "run" / FILE).exists()
    began = time.monotonic()
    assert rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]).failures == []
    assert time.monotonic() - began < 5
    assert not (tmp_path / "run" / FILE).exists()


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a network drive is that has none, with shorter times."""

    def flock(*_: Any) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock.fcntl, "flock", flock)
    monkeypatch.setattr(writer, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(writer, "STALE_SECONDS", 0.6)
    monkeypatch.setattr(writer, "SETTLE_SECONDS", 0.05)
    monkeypatch.setattr(writer, "POLL_SECONDS", 0.05)


@pytest.mark.usefixtures("without_locks")
def test_without_locks_a_writer_elsewhere_is_waited_for_as_long_as_it_renews(tmp_path: Path) -> None:
    store, told = Store(tmp_path / "run"), []
    ended = threading.Event()

    def elsewhere() -> None:
        other = OTHER.model_copy()
        while not ended.wait(0.05):
            other.renewed += 1
            store.write("", FILE, other.model_dump_json().encode())

    renewing = threading.Thread(target=elsewhere)
    renewing.start()
    threading.Timer(1.5, ended.set).start()
    time.sleep(0.2)
    began = time.monotonic()
    with only_writer(store, "a test", told.append):
        assert time.monotonic() - began > 1.5
        assert f'"process":{os.getpid()}' in (store.read("", FILE) or b"").decode()
    renewing.join()
    assert told == [
        f"{tmp_path}/run: waiting for rostrum run (process 7 on elsewhere, since 2026-01-02T03:04:05+00:00), which "
        "writes there; Ctrl-C ends this"
    ]


@pytest.mark.usefixtures("without_locks")
def test_a_writer_of_this_machine_that_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    store = Store(tmp_path / "run")
    left = Writer.this("rostrum run").model_copy(update={"process": ended.pid, "token": "t"})
    store.write("", FILE, left.model_dump_json().encode())
    began = time.monotonic()
    with only_writer(store, "a test"):
        assert time.monotonic() - began < 0.5


def test_an_object_store_has_one_writer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SETTLE_SECONDS", 0.05)
    store = Store("memory://writer/run")
    refused = pytest.raises(RostrumError, match="is written by first")
    with only_writer(store, "first"), refused, only_writer(Store("memory://writer/run"), "second"):
        pass
    with only_writer(store, "third"):
        pass
    assert store.read("", FILE) is None


def test_a_run_that_another_machine_took_over_writes_no_summary(tmp_path: Path) -> None:
    """It was away for long, as a laptop that slept."""
    write_speech(tmp_path / "corpus" / "one.wav")
    store = Store(tmp_path / "run")

    def taken_over(share: float, what: str) -> None:
        store.write("", FILE, OTHER.model_dump_json().encode())

    rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"])
    before = load_known(store)
    write_speech(tmp_path / "corpus" / "two.wav", start=3.0)
    with pytest.raises(RostrumError, match=r"rostrum run \(process 7 on elsewhere, .*\) has taken over"):
        rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"], progress=taken_over)
    assert len(load_known(store).items) == len(before.items) + 1, "what was stored as it began"
    assert store.read("", FILE) is not None, "the other one goes on"


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_lock_in_whose_place_is_something_else(tmp_path: Path, kind: str) -> None:
    (tmp_path / "run").mkdir()
    path = tmp_path / "run" / FILE
    path.mkdir() if kind == "folder" else path.symlink_to(tmp_path / "elsewhere")
    refused = pytest.raises(RostrumError, match=rf"{FILE}: cannot be used as a lock: .*; remove it")
    with refused, only_writer(Store(tmp_path / "run"), "a test"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_lock_is_for_this_user_only_and_nothing_is_left(tmp_path: Path) -> None:
    """Whoever may open the file could hold its lock."""
    with only_writer(Store(tmp_path / "run"), "a test"):
        assert (tmp_path / "run" / FILE).stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "run").exists()


def test_a_call_that_is_refused_leaves_no_folder_and_touches_no_corpus(tmp_path: Path) -> None:
    write_speech(tmp_path / "corpus" / "one.wav")
    before = (tmp_path / "corpus").stat().st_mtime_ns
    with pytest.raises(RostrumError, match="is inside the corpus"):
        rostrum.run(tmp_path / "corpus", tmp_path / "corpus" / "run", ["ingest"])
    assert (tmp_path / "corpus").stat().st_mtime_ns == before


def test_a_finished_run_on_storage_that_is_read_only_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(writer.os, "access", lambda path, mode: False)
    with only_writer(Store(tmp_path / "run"), "a test"):
        assert list((tmp_path / "run").iterdir()) == []
