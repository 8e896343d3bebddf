"""One process at a time uses a device (a GPU, or the machine's cores), with all stages that it lets begin.

A concurrency limit of the Prefect server is not enough: runs with servers of their own do not see it, and the slot of a
run that was killed stays taken. A lock on a file ends with its process, and holds for every run of the machine.
"""

import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.run.job import Job
from pipeline.system import scratch
from pipeline.system.environment import device_name
from pipeline.system.lock import is_held, open_lock

# The folder of the locks. Containers that share a device share this folder.
VARIABLE = "ROSTRUM_LOCKS"
POLL_SECONDS = 0.1


class Device:
    """A device, as this process holds it.

    The stages of a process hold it together: the first one takes it, the last one gives it back. A stage that wants the
    device first waits in a queue. While another process waits at the head of the queue, no further stage can join those
    that hold the device, so processes take turns.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        stem = f"device-{name.replace(':', '-')}"
        self._lock, self._queue = folder / f"{stem}.lock", folder / f"{stem}-queue.lock"
        self._handle: int | None = None
        self._stages, self._changing = 0, threading.Lock()

    def join(self, seconds: float = math.inf) -> bool:
        """Wait until this process holds the device, and return whether it does.

        After so many `seconds` it gives up, and leaves the queue.
        """
        deadline = time.monotonic() + seconds
        place = _wait_for(self._queue, deadline)
        if place is None:
            return False
        try:
            with self._changing:
                if self._handle is None:
                    self._handle = _wait_for(self._lock, deadline)
                self._stages += self._handle is not None
                return self._handle is not None
        finally:
            os.close(place)

    def leave(self) -> None:
        """Note that a stage has ended."""
        with self._changing:
            self._stages -= 1
        self.give_way()

    def give_way(self) -> None:
        """Give the device back if no stage uses it, and it is not kept for the next one."""
        with self._changing:
            if self._handle is not None and not self._stages and (not _keepers or is_held(self._queue)):
                os.close(self._handle)
                self._handle = None


def _wait_for(lock: Path, deadline: float) -> int | None:
    """The handle of the lock, once no other process has it; None if that is not so before the deadline."""
    while True:
        try:
            return open_lock(lock)[0]
        except BlockingIOError:
            if time.monotonic() > deadline:
                return None
            time.sleep(POLL_SECONDS)


# The devices that this process has used, and the contexts that keep them between stages.
_devices: dict[str, Device] = {}
_keepers: set[object] = set()


def device_of(job: Job) -> Device:
    """The device that a job uses."""
    name = device_name(getattr(job.settings, "device", "auto"))
    folder = Path(given) if (given := os.environ.get(VARIABLE)) else scratch.own_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return _devices.setdefault(f"{folder}/{name}", Device(name, folder))


@contextmanager
def keeping_devices() -> Iterator[None]:
    """Keep the devices that stages of this context use, each until another process waits for it."""
    keeper, ended = object(), threading.Event()
    watching = threading.Thread(target=_watch, args=(ended,), daemon=True)
    _keepers.add(keeper)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
        _keepers.discard(keeper)
        _give_way()


def _watch(ended: threading.Event) -> None:
    while not ended.wait(POLL_SECONDS):
        _give_way()


def _give_way() -> None:
    for device in list(_devices.values()):
        device.give_way()
