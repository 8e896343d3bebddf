"""The stages of one process hold a device together; no two processes hold it at once, and no killed one keeps it."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from flows.device import Device, device_of, keeping_devices
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from pipeline.system.environment import chosen_device
from pipeline.system.lock import is_held
from tests.flows.runs import SETTINGS
from tests.flows.servers import PATIENCE, until

OTHER = """
import sys
from pathlib import Path
from flows.device import Device
print("wants", flush=True)
device = Device(sys.argv[2], Path(sys.argv[1]))
device.join()
print("holds", flush=True)
sys.stdin.readline()
device.leave()
"""


class Stage:
    """A thread that holds the device until it is let go."""

    def __init__(self, device: Device) -> None:
        self.device, self.holds, self._end = device, Event(), Event()
        self._thread = Thread(target=self._hold)
        self._thread.start()

    def _hold(self) -> None:
        self.device.join()
        self.holds.set()
        self._end.wait()
        self.device.leave()

    def end(self) -> None:
        self._end.set()
        self._thread.join()


@pytest.fixture
def device(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device of a stage, on a machine with nobody else."""
    monkeypatch.setenv("ROSTRUM_LOCKS", str(tmp_path))
    plan = plan_run(open_corpus(corpus), Store(tmp_path / "run"), SETTINGS, ["diarize"])
    return device_of(next(job for job in plan.jobs if job.uses_device))


@contextmanager
def other_process(folder: Path, name: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the device until it gets a line or is killed."""
    command = [sys.executable, "-c", OTHER, str(folder), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
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


def somebody_waits(folder: Path, name: str) -> bool:
    return is_held(folder / f"device-{name}-queue.lock")


def test_stages_of_a_process_hold_it_together(device: Device, tmp_path: Path) -> None:
    first, second = Stage(device), Stage(device)
    assert first.holds.wait(PATIENCE)
    assert second.holds.wait(PATIENCE)
    first.end()
    with other_process(tmp_path, device.name) as process:
        until(lambda: somebody_waits(tmp_path, device.name))
        second.end()
        assert holds(process)


@pytest.mark.parametrize("leave", [end, subprocess.Popen.kill], ids=["ends", "is killed"])
def test_another_process_waits(
    device: Device, tmp_path: Path, leave: Callable[["subprocess.Popen[str]"], None]
) -> None:
    with other_process(tmp_path, device.name) as process:
        assert holds(process)
        assert not device.join(seconds=0.2)
        stage = Stage(device)
        until(lambda: somebody_waits(tmp_path, device.name))
        assert not stage.holds.is_set()
        leave(process)
        assert stage.holds.wait(PATIENCE)
        stage.end()


def test_another_device_is_free(device: Device, tmp_path: Path) -> None:
    with other_process(tmp_path, "another-gpu") as process:
        assert holds(process)
        assert device.join(seconds=0.2)
        device.leave()


def test_nobody_joins_while_another_process_waits(device: Device, tmp_path: Path) -> None:
    first = Stage(device)
    assert first.holds.wait(PATIENCE)
    with other_process(tmp_path, device.name) as process:
        until(lambda: somebody_waits(tmp_path, device.name))
        second = Stage(device)
        first.end()
        assert holds(process)
        assert not second.holds.is_set()
        end(process)
        assert second.holds.wait(PATIENCE)
        second.end()


def test_it_is_kept_only_until_another_process_waits(device: Device, tmp_path: Path) -> None:
    with keeping_devices():
        stage = Stage(device)
        assert stage.holds.wait(PATIENCE)
        stage.end()
        lock = tmp_path / f"device-{device.name}.lock"
        assert is_held(lock)
        with other_process(tmp_path, device.name) as process:  # which comes between two stages
            assert holds(process)
            process.send_signal(signal.SIGSTOP)
            process.kill()
        assert device.join(seconds=PATIENCE)
        device.leave()
    assert not is_held(lock)


@pytest.mark.parametrize(
    ("wanted", "gpus", "device"),
    [("auto", 0, "cpu"), ("auto", 4, "cuda:0"), ("cuda", 1, "cuda:0"), ("cuda:3", 4, "cuda:3"), ("cpu", 4, "cpu")],
)
def test_a_device_is_chosen(wanted: str, gpus: int, device: str) -> None:
    assert chosen_device(wanted, gpus, "diarize.device", "torch") == device


def test_a_gpu_that_is_not_there_is_told_in_a_line() -> None:
    with pytest.raises(RostrumError, match=r"^diarize.device=cuda:2: this machine has 2 GPUs, counted"):
        chosen_device("cuda:2", 2, "diarize.device", "torch")
