"""The stages of one process hold the device together; no two processes hold it at once, and no killed one keeps it."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from threading import Event, Thread

import pytest

from flows import device
from pipeline.system.lock import is_held
from tests.flows.servers import PATIENCE, until

OTHER = """
import sys
from flows.device import holding_device
print("wants", flush=True)
with holding_device(sys.argv[1]):
    print("holds", flush=True)
    sys.stdin.readline()
"""
# Between two stages.
KEEPER = """
import sys
from flows.device import holding_device, keeping_device
print("wants", flush=True)
with keeping_device():
    with holding_device(sys.argv[1]):
        pass
    print("holds", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def limit(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The limit, on a machine with nobody else: processes that a test starts see the same locks."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return device.device_limit()


def slots(limit: str) -> int:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        return client.read_global_concurrency_limit_by_name(limit).active_slots


class Stage:
    """A thread that holds the device until it is let go."""

    def __init__(self, limit: str) -> None:
        self.holds, self._end = Event(), Event()
        self._thread = Thread(target=copy_context().run, args=(self._hold, limit))  # which knows the server
        self._thread.start()

    def _hold(self, limit: str) -> None:
        with device.holding_device(limit):
            self.holds.set()
            self._end.wait()

    def end(self) -> None:
        self._end.set()
        self._thread.join()


@contextmanager
def other_process(limit: str, code: str = OTHER) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the device until it gets a line or is killed."""
    command = [sys.executable, "-c", code, limit]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout
        assert process.stdout.readline() == "wants\n"
        try:
            yield process
        finally:
            process.kill()


def holds(process: "subprocess.Popen[str]") -> bool:
    """Wait until it says so."""
    assert process.stdout
    return process.stdout.readline() == "holds\n"


def end(process: "subprocess.Popen[str]") -> None:
    process.communicate("\n", timeout=PATIENCE)


def somebody_waits() -> bool:
    return is_held(device.queue())


def check_a_stage_waits(
    limit: str, process: "subprocess.Popen[str]", leave: Callable[["subprocess.Popen[str]"], None]
) -> None:
    """Until the other process leaves the device, a stage waits for it."""
    stage = Stage(limit)
    until(somebody_waits)
    assert not stage.holds.is_set()
    leave(process)
    assert stage.holds.wait(PATIENCE)
    stage.end()


def test_a_slot_that_nobody_holds_is_taken_back(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    monkeypatch.setattr(device, "LOST_AFTER_SECONDS", 1.0)
    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(limit, GlobalConcurrencyLimitUpdate(active_slots=1))
    with device.holding_device(limit):
        assert slots(limit) == 1
    assert slots(limit) == 0


def test_stages_of_a_process_hold_it_together(limit: str) -> None:
    first, second = Stage(limit), Stage(limit)
    assert first.holds.wait(PATIENCE)
    assert second.holds.wait(PATIENCE)
    first.end()
    assert slots(limit) == 1
    second.end()
    assert slots(limit) == 0
    third = Stage(limit)
    assert third.holds.wait(PATIENCE)
    third.end()


@pytest.mark.parametrize("leave", [end, subprocess.Popen.kill], ids=["ends", "is killed"])
def test_another_process_waits(
    limit: str, leave: Callable[["subprocess.Popen[str]"], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "LOST_AFTER_SECONDS", 1.0)
    with other_process(limit) as process:
        assert holds(process)
        check_a_stage_waits(limit, process, leave)


def test_nobody_joins_while_another_process_waits(limit: str) -> None:
    first = Stage(limit)
    assert first.holds.wait(PATIENCE)
    with other_process(limit) as process:
        until(somebody_waits)
        second = Stage(limit)
        first.end()
        assert holds(process)
        assert not second.holds.is_set()
        end(process)
        assert second.holds.wait(PATIENCE)
        second.end()


def test_stages_in_a_row_take_it_once(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    take = device._take
    monkeypatch.setattr(device, "_take", lambda held, name: (taken.append(name), take(held, name)))
    with device.keeping_device():
        for _ in range(5):
            stage = Stage(limit)
            assert stage.holds.wait(PATIENCE)
            stage.end()
            assert slots(limit) == 1
    assert taken == [limit]
    assert slots(limit) == 0


def test_it_is_kept_only_until_another_process_waits(limit: str) -> None:
    with device.keeping_device():
        first = Stage(limit)
        assert first.holds.wait(PATIENCE)
        with other_process(limit) as process:
            until(somebody_waits)
            first.end()
            assert holds(process)
            check_a_stage_waits(limit, process, end)
        with other_process(limit) as process:  # which comes between two stages
            assert holds(process)
            end(process)


def test_a_process_that_is_killed_between_two_stages_keeps_nothing(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "LOST_AFTER_SECONDS", 1.0)
    with other_process(limit, KEEPER) as process:
        assert holds(process)
        process.send_signal(signal.SIGSTOP)  # so that it cannot give way
        check_a_stage_waits(limit, process, subprocess.Popen.kill)


def test_what_fails_to_take_it_leaves_it_to_others(limit: str) -> None:
    with pytest.raises(Exception, match="no such limit"), device.holding_device("no such limit"):
        pass
    with device.holding_device(limit):
        assert slots(limit) == 1
