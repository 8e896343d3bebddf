"""Processes with the same settings share a run, others wait or say who it is. Nothing that is in use is removed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rostrum
from pipeline.cli import main_group
from pipeline.errors import RostrumError
from pipeline.run import sharing
from pipeline.run.index import load_known
from pipeline.run.sharing import FOLDER, Leases, Process, shared
from pipeline.run.store import Store
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

def wait(store, scope, name, content, **options):
    if name == "ingest.json":
        print("stored", flush=True)
        sys.stdin.readline()
    write(store, scope, name, content, **options)

Store.write = wait
rostrum.run(sys.argv[1], sys.argv[2], ["ingest"])
"""
OTHER = Process(
    command="rostrum run", host="elsewhere", process=7, since="2026-01-02T03:04:05+00:00", token="f" * 32, key="other"
)
FILE = f"{FOLDER}/{OTHER.token}.json"


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


@pytest.mark.slow
def test_clean_beside_a_run_deletes_nothing_and_says_who_writes(
    tmp_path: Path, half_stored: "subprocess.Popen[str]"
) -> None:
    found = clean(tmp_path / "run")
    assert isinstance(found.exception, RostrumError)
    assert f"{tmp_path}/run: is written by rostrum.run (process {half_stored.pid} on " in str(found.exception)
    go_on(half_stored)
    assert clean(tmp_path / "run").stderr == "0 files, 0 bytes deleted\n"
    assert rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]).failures == []


@pytest.mark.slow
def test_a_second_run_waits_for_what_another_has_says_for_whom_and_does_nothing_twice(
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
    assert not (tmp_path / "run" / FOLDER).exists()


@pytest.mark.slow
def test_a_run_that_was_killed_holds_up_nobody(tmp_path: Path, half_stored: "subprocess.Popen[str]") -> None:
    half_stored.send_signal(signal.SIGKILL)
    half_stored.wait()
    assert list((tmp_path / "run" / FOLDER).iterdir())
    began = time.monotonic()
    assert rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"]).failures == []
    assert time.monotonic() - began < 15
    assert not (tmp_path / "run" / FOLDER).exists()
    assert not list((tmp_path / "run").rglob("*lease*"))


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a network drive is that has none, with shorter times."""

    def flock(*_: Any) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock.fcntl, "flock", flock)
    monkeypatch.setattr(sharing, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(sharing, "STALE_SECONDS", 0.6)
    monkeypatch.setattr(sharing, "POLL_SECONDS", 0.05)


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
    with shared(store, "a test", "key", told.append):
        assert time.monotonic() - began > 1.5
        (own,) = store.files_in(FOLDER)
        assert f'"process":{os.getpid()}' in (store.read("", own) or b"").decode()
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
    left = Process.this("rostrum run").model_copy(update={"process": ended.pid, "token": OTHER.token, "key": "other"})
    store.write("", FILE, left.model_dump_json().encode())
    began = time.monotonic()
    with shared(store, "a test", "key", None):
        assert time.monotonic() - began < 0.5


def test_an_object_store_is_written_by_one_at_a_time_too() -> None:
    store = Store("memory://writer/run")
    refused = pytest.raises(RostrumError, match="is written by first")
    with shared(store, "first", None, None), refused, shared(Store("memory://writer/run"), "second", "key", None):
        pass
    with shared(store, "third", "key", None), shared(store, "fourth", "key", None):
        pass
    assert store.files_in(FOLDER) == {}


def test_of_several_processes_one_has_a_lease(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    with shared(store, "first", "key", None) as first, shared(store, "second", "key", None) as second:
        assert first.take(".index/aa/a")
        assert first.take(".index/aa/a"), "it has it"
        assert not second.take(".index/aa/a")
        first.give_back(".index/aa/a")
        assert second.take(".index/aa/a")
        assert not first.take(".index/aa/a")


def test_a_lease_of_a_process_that_ended_goes_to_one_of_many(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    for ended in ("0" * 32, "1" * 32):  # the second one had taken over from the first one
        store.create(f".index/aa/a.lease-{1 + int(ended[0])}", ended.encode())
    with ExitStack() as opened:
        every = [opened.enter_context(shared(store, f"run {number}", "key", None)) for number in range(8)]
        barrier, taken = threading.Barrier(8), []

        def take(leases: Leases) -> None:
            barrier.wait()
            if leases.take(".index/aa/a"):
                taken.append(leases)

        threads = [threading.Thread(target=take, args=[leases]) for leases in every]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(taken) == 1
        taken[0].give_back(".index/aa/a")
        assert store.files_in(".index/aa") == {}
        assert sum(leases.take(".index/aa/a") for leases in every) == 1


def test_who_looked_before_another_began_anew_does_not_take_its_lease(tmp_path: Path) -> None:
    """It has seen that the first one ended. Until it makes the second file, the lease is taken and given back."""
    store = Store(tmp_path / "run")
    store.create(".index/aa/a.lease-1", b"0" * 32)
    with shared(store, "slow", "key", None) as slow, shared(store, "quick", "key", None) as quick:
        create = store.create

        def late(name: str, content: bytes) -> bool:
            if name.endswith("lease-2") and content.decode() == slow.token:
                assert quick.take(".index/aa/a")
                quick.give_back(".index/aa/a")
                assert quick.take(".index/aa/a")
            return create(name, content)

        slow._store = Store(tmp_path / "run")
        slow._store.create = late  # type: ignore[method-assign]
        assert not slow.take(".index/aa/a")


# A process that works on a run, and prints how many others it sees.
WORKING = """
import os, sys, time
from pipeline.run import sharing
from pipeline.run.store import Store
from pipeline.system import lock

def flock(*_):
    raise OSError(37, "No locks available")

if sys.argv[2] == "without locks":
    lock.fcntl.flock = flock
sharing.RENEW_SECONDS, sharing.STALE_SECONDS = 0.05, 0.6
with sharing.shared(Store(sys.argv[1]), "a test", "key", None) as leases:
    for line in sys.stdin:
        leases.check()
        if line == "fork\\n" and not (child := os.fork()):
            time.sleep(600)
        print(child if line == "fork\\n" else len(leases.others()), flush=True)
"""


class Working:
    """A process that works on a run."""

    def __init__(self, run: Path, locks: str) -> None:
        command = [sys.executable, "-c", WORKING, str(run), locks]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @property
    def others(self) -> int:
        return self._answer("")

    def fork(self) -> int:
        """The number of a new process that it leaves behind."""
        return self._answer("fork")

    def _answer(self, line: str) -> int:
        assert self.process.stdin
        assert self.process.stdout
        print(line, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def sleep(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def wake_up(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@pytest.fixture(params=["with locks", "without locks"])
def two_working(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Working, Working]]:
    """Two processes that see one another."""
    both = Working(tmp_path / "run", request.param), Working(tmp_path / "run", request.param)
    while [each.others for each in both] != [1, 1]:
        pass
    yield both
    for each in both:
        each.process.kill()
        each.process.communicate()


def test_processes_that_slept_do_not_take_one_another_for_ended(two_working: tuple[Working, Working]) -> None:
    """The machine slept, with both of them. The first one that wakes up sees an old sign of life of the other."""
    for each in two_working:
        each.sleep()
    time.sleep(1.0)
    for each in two_working:
        each.wake_up()
        assert each.others == 1
    assert [each.others for each in two_working] == [1, 1]


@pytest.mark.parametrize("two_working", ["with locks"], indirect=True)
def test_a_process_that_was_stopped_keeps_its_lock(two_working: tuple[Working, Working]) -> None:
    """As with Ctrl-Z."""
    stopped, other = two_working
    stopped.sleep()
    began = time.monotonic()
    while time.monotonic() - began < 1.5:
        assert other.others == 1
    stopped.wake_up()
    assert stopped.others == 1


@pytest.mark.parametrize("two_working", ["with locks"], indirect=True)
def test_a_lock_that_a_killed_process_left_to_another_holds_up_nobody(two_working: tuple[Working, Working]) -> None:
    killed, other = two_working
    child = killed.fork()
    try:
        killed.process.kill()
        killed.process.wait()
        began = time.monotonic()
        while other.others:
            assert time.monotonic() - began < 30
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_run_that_others_took_for_ended_writes_no_summary(tmp_path: Path) -> None:
    """It was away for long, as a laptop that slept."""
    write_speech(tmp_path / "corpus" / "one.wav")
    store = Store(tmp_path / "run")

    def taken_over(share: float, what: str) -> None:
        for name in store.files_in(FOLDER):
            store.remove(name)

    rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"])
    before = load_known(store)
    write_speech(tmp_path / "corpus" / "two.wav", start=3.0)
    with pytest.raises(RostrumError, match=r"another process has taken over while this one was away"):
        rostrum.run(tmp_path / "corpus", tmp_path / "run", ["ingest"], progress=taken_over)
    assert len(load_known(store).items) == len(before.items) + 1, "what was stored as it began"


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_folder_of_locks_in_whose_place_is_something_else(tmp_path: Path, kind: str) -> None:
    (tmp_path / "run").mkdir()
    path = tmp_path / "run" / FOLDER
    path.write_text("") if kind == "file" else path.symlink_to(tmp_path)
    why = "cannot be made: File exists" if kind == "file" else "leads out of the run's folder"
    with pytest.raises(RostrumError, match=why), shared(Store(tmp_path / "run"), "a test", "key", None):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_a_lock_is_for_this_user_only_and_nothing_is_left(tmp_path: Path) -> None:
    """Whoever may open the file could hold its lock."""
    with shared(Store(tmp_path / "run"), "a test", "key", None):
        (own,) = (tmp_path / "run" / FOLDER).iterdir()
        assert own.stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "run").exists()


def test_a_call_that_is_refused_leaves_no_folder_and_touches_no_corpus(tmp_path: Path) -> None:
    write_speech(tmp_path / "corpus" / "one.wav")
    before = (tmp_path / "corpus").stat().st_mtime_ns
    with pytest.raises(RostrumError, match="is inside the corpus"):
        rostrum.run(tmp_path / "corpus", tmp_path / "corpus" / "run", ["ingest"])
    assert (tmp_path / "corpus").stat().st_mtime_ns == before


def test_a_finished_run_on_storage_that_is_read_only_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(sharing.os, "access", lambda path, mode: False)
    with shared(Store(tmp_path / "run"), "a test", "key", None):
        assert list((tmp_path / "run").iterdir()) == []
