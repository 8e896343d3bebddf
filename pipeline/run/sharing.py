"""Several processes work on one run: which of them are there, and which one has which speech or motion.

A process that writes to a run has a file in `.runs/` of the run's folder, and keeps a lock on it as long as it lives.
Some network drives and all object stores have no locks that every machine sees. So the process also renews the file
every few seconds, and a file that nobody has renewed for a while is a leftover. Clocks of machines are never compared,
and a while is counted by a process's own signs of life: a laptop that sleeps takes no other process for ended.

Processes with the same settings share the work. Each takes a lease of a speech or motion before it begins, and the
others leave that one to it. A lease is a new file, which only one of several processes can make, and names the process.
If that one has ended, the next process makes the second file of the lease, and so on. A process with other settings
waits until nobody else is there: it would change what the others read.
"""

import os
import platform
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from pipeline.errors import RostrumError, StorageError, printable
from pipeline.run.store import Store
from pipeline.system.interrupt import tidied_by
from pipeline.system.lock import open_lock

FOLDER = ".runs"
# A file that another machine has not renewed for so many seconds is a leftover.
RENEW_SECONDS, STALE_SECONDS = 5.0, 20.0
POLL_SECONDS = 0.2
# The lease that is held for a moment while a process enters.
_DOOR, DOOR_SECONDS = f"{FOLDER}/door", 0.05
_TOKEN = re.compile(r"[0-9a-f]{32}")
# A process's file is padded to a length, so that it can be replaced by one write.
_LENGTH = 1024


class Process(BaseModel):
    """A process that writes to a run. It shares it with those of the same `key`. `renewed` counts its signs of life."""

    command: str
    host: str
    process: int
    since: str
    token: str
    key: str = ""
    renewed: int = 0

    @classmethod
    def this(cls, command: str) -> "Process":
        since = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(command=command, host=platform.node(), process=os.getpid(), since=since, token=uuid4().hex)

    def __str__(self) -> str:
        return f"{self.command} (process {self.process} on {self.host}, since {self.since})"

    @property
    def has_ended(self) -> bool:
        """Whether this is a process of this machine that is no more."""
        if self.host != platform.node():
            return False
        try:
            os.kill(self.process, 0)
        except (ProcessLookupError, OverflowError, ValueError):
            return True
        except PermissionError:
            return False
        return False


class Leases:
    """The speeches and motions that this process has, so that others leave them to it."""

    def __init__(self, store: Store, own: "_Presence | None", tell: Callable[[str], object] | None = None) -> None:
        self._store, self._own = store, own
        self.tell = tell or (lambda line: None)
        self._others = _Others(store, lambda: own.awake if own else 0.0)
        self._held: dict[str, int] = {}

    @property
    def token(self) -> str:
        """The name of this process among all that work on the run."""
        return self._own.process.token if self._own else ""

    def take(self, name: str) -> bool:
        """Take a lease, and return True. Returns False if a process that is still there has it."""
        if self._own is None or name in self._held:
            return True
        ended: list[str] = []
        while True:
            file = _lease(name, len(ended) + 1)
            if self._store.create(file, self.token.encode()):
                return self._keep(name, ended)
            content = self._store.read("", file)
            if content is None:  # it was given back at this moment
                return False
            holder = content.decode(errors="replace")
            if holder != self.token and not self._others.has_ended(holder, file):
                return False
            ended.append(holder)

    def _keep(self, name: str, ended: list[str]) -> bool:
        """Keep a lease if those of ended processes below it are still there: else somebody began anew."""
        number = len(ended) + 1
        for below, holder in enumerate(ended, 1):
            if self._store.read("", _lease(name, below)) != holder.encode():
                self._store.remove(_lease(name, number))
                return False
        self._held[name] = number
        return True

    def give_back(self, name: str) -> None:
        """Let other processes take the lease. The last file goes last, so that nobody takes it meanwhile."""
        for number in range(1, self._held.pop(name, 0) + 1):
            self._store.remove(_lease(name, number))

    def others(self) -> list[Process]:
        """The other processes that are there."""
        return self._others.all(self.token) if self._own else []

    def check(self) -> None:
        """Raise an error if other processes took this one for ended, because it was away for long."""
        if self._own and self._own.is_forgotten:
            raise RostrumError(
                f"{self._store.root}: another process has taken over while this one was away; finished results are kept"
            )


def no_leases(store: Store) -> Leases:
    """The leases of a process that shares its run with nobody: it has all of them."""
    return Leases(store, None)


def _lease(name: str, number: int) -> str:
    return f"{name}.lease-{number}"


@contextmanager
def shared(store: Store, command: str, key: str | None, tell: Callable[[str], object] | None) -> Iterator[Leases]:
    """Yields the leases of this process. While the context is open, only processes with the same `key` write there.

    Without a key, no other process does. If one is there, this waits until it has ended, and calls `tell` with a line
    that says so; without `tell`, it is an error. A run that this user may only read is not entered.
    """
    if store.is_local and not _is_writable(Path(store.path("", ""))):
        yield no_leases(store)
        return
    own = _Presence(store, Process.this(command))
    with own, tidied_by(own.leave):
        is_told = False
        leases = Leases(store, own, tell)
        while (other := _enter(leases, own, key)) is not None:
            if tell is None:
                raise RostrumError(f"{store.root}: is written by {other}; wait until that has ended, or stop it")
            if not is_told:
                tell(printable(f"{store.root}: waiting for {other}, which writes there; Ctrl-C ends this"))
                is_told = True
            time.sleep(POLL_SECONDS)
        yield leases


def _enter(leases: Leases, own: "_Presence", key: str | None) -> Process | None:
    """Enter, and return None. If a process with another key is there, return that. One process at a time looks."""
    while not leases.take(_DOOR):
        time.sleep(DOOR_SECONDS)
    try:
        for other in leases.others():
            if other.key and other.key != key:
                return other
        own.enter(key or own.process.token)
    finally:
        leases.give_back(_DOOR)
    return None


class _Others:
    """The other processes that write to the run. `awake` returns for how many seconds this one has been awake."""

    def __init__(self, store: Store, awake: Callable[[], float]) -> None:
        self._store, self._awake = store, awake
        self._seen: dict[str, tuple[bytes, float]] = {}

    def all(self, own: str) -> list[Process]:
        """Those that are there, without the process `own`."""
        files = [name for name in self._store.files_in(FOLDER) if name.endswith(".json")]
        known = (_parsed(self._store.read("", name)) for name in files)
        return [each for each in known if each and each.token != own and not self.has_ended(each.token)]

    def has_ended(self, token: str, lease: str = "") -> bool:
        """Whether a process is not there any more. Its file is removed then."""
        file = f"{FOLDER}/{token}.json"
        if not _TOKEN.fullmatch(token):  # the lease is being written, or its drive was full
            return self._is_silent(lease, token.encode())
        content = self._store.read("", file)
        if content is None or self._has_left(_parsed(content), file, content):
            self._store.remove(file)
            return True
        return False

    def _has_left(self, process: Process | None, file: str, content: bytes) -> bool:
        """Whether a process has ended. One of this machine that holds its lock has not, also if it is stopped."""
        if process is None or process.host != platform.node():
            return self._is_silent(file, content)
        is_locked = False
        if self._store.is_local:
            try:
                handle, is_locked = open_lock(self._store.local(file))
            except BlockingIOError:  # by it, or by a process that it has left behind
                return process.has_ended and self._is_silent(file, content)
            os.close(handle)
        return is_locked or process.has_ended or self._is_silent(file, content)

    def _is_silent(self, file: str, content: bytes) -> bool:
        """Whether a file has been the same for long, as this process saw it while it was awake."""
        before, since = self._seen.get(file, (b"", 0.0))
        if file not in self._seen or before != content:
            self._seen[file] = content, self._awake()
            return False
        return self._awake() - since > STALE_SECONDS


class _Presence:
    """This process, as the others see it, while the context is open.

    `awake` counts the seconds without those in which the machine slept, or this process was stopped.
    """

    def __init__(self, store: Store, process: Process) -> None:
        self.process, self._store = process, store
        self.awake = 0.0
        self._file = f"{FOLDER}/{process.token}.json"
        self._handle: int | None = None
        self._ended = threading.Event()
        self._writing = threading.Lock()

    def __enter__(self) -> "_Presence":
        if self._store.is_local:
            self._store.read("", self._file)  # an error if it is not in the run's folder
            self._handle = _opened(self._store.local(self._file))
        self._write()
        threading.Thread(target=self._renew, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.leave()

    def enter(self, key: str) -> None:
        """Say which key the run has from now on."""
        self.process.key = key
        self._write()

    def leave(self) -> None:
        """Say that this process has ended. Its leases are free then."""
        if self._ended.is_set():
            return
        self._ended.set()
        with self._writing, suppress(RostrumError, OSError):
            self._store.remove(self._file)
            if self._handle is not None:
                os.close(self._handle)
        with suppress(RostrumError, OSError):  # a run that wrote nothing leaves no folder
            if self._store.is_local:
                Path(self._store.path("", "")).rmdir()

    @property
    def is_forgotten(self) -> bool:
        """Whether another process has removed this one's file, because it seemed to have ended."""
        return self._store.read("", self._file) is None

    def _write(self) -> None:
        content = self.process.model_dump_json().encode()
        with self._writing:
            if self._ended.is_set():
                return
            if self._handle is None:
                self._store.write("", self._file, content, lasting=False)
                return
            try:
                os.pwrite(self._handle, content.ljust(_LENGTH), 0)
            except OSError as error:
                raise StorageError(f"{self._store.path('', self._file)}: cannot write it: {error.strerror}") from error

    def _renew(self) -> None:
        while not self._ended.wait(RENEW_SECONDS):
            self.awake += RENEW_SECONDS
            with suppress(RostrumError, OSError):  # storage may be away for a moment
                if not self.is_forgotten:
                    self.process.renewed += 1
                    self._write()


def _opened(path: Path) -> int:
    """The handle of a new file with a lock on it, as far as the drive has locks."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return open_lock(path)[0]
        except BlockingIOError:  # another process looks whether it is locked
            time.sleep(DOOR_SECONDS)
        except RostrumError as error:
            if not isinstance(error.__cause__, FileNotFoundError):  # else the folder was removed at this moment
                raise
        except OSError as error:
            raise StorageError(f"{path.parent}: cannot be made: {error.strerror}") from error


def _parsed(content: bytes | None) -> Process | None:
    try:
        return Process.model_validate_json(content) if content else None
    except ValidationError:
        return None


def _is_writable(folder: Path) -> bool:
    """Whether this user can write files into a folder, or make it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)
