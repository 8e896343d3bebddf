"""One process at a time writes a run: a run, or `rostrum clean`. Others wait for it, or say who it is.

`.writer.json` in the run's folder names the process, which keeps a lock on it as long as it lives. Some network drives
and all object stores have no locks that every machine sees. So the process also renews the file every few seconds, and
a file that nobody has renewed for a while is a leftover. The clocks of machines are never compared.
"""

import os
import platform
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from pipeline.errors import RostrumError, StorageError, printable
from pipeline.run.store import Store
from pipeline.system.interrupt import tidied_by
from pipeline.system.lock import open_lock

FILE = ".writer.json"
# A file that another machine has not renewed for so many seconds is a leftover.
RENEW_SECONDS, STALE_SECONDS = 5.0, 20.0
POLL_SECONDS = 0.2
# Without locks, two processes may write the file at the same moment. After so many seconds, the later one counts.
SETTLE_SECONDS = 1.0


class Writer(BaseModel):
    """A process that writes a run. `renewed` counts how often it has said that it is still there."""

    command: str
    host: str
    process: int
    since: str
    token: str
    renewed: int = 0

    @classmethod
    def this(cls, command: str) -> "Writer":
        since = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(command=command, host=platform.node(), process=os.getpid(), since=since, token=uuid4().hex)

    def __str__(self) -> str:
        return f"{self.command} (process {self.process} on {self.host}, since {self.since})"

    @property
    def is_here(self) -> bool:
        return self.host == platform.node()

    @property
    def has_ended(self) -> bool:
        """Whether this is a process of this machine that is no more."""
        if not self.is_here:
            return False
        try:
            os.kill(self.process, 0)
        except (ProcessLookupError, OverflowError, ValueError):
            return True
        except PermissionError:
            return False
        return False


@contextmanager
def only_writer(store: Store, command: str, tell: Callable[[str], object] | None = None) -> Iterator[None]:
    """While this context is open, no other process writes the run.

    If another one does, this waits until it has ended, and calls `tell` with a line that says so. Without `tell`, it is
    an error. A run that this user may only read is not marked: nothing can be written there anyway.
    """
    if store.is_local and not _is_writable(Path(store.path("", ""))):
        yield
        return
    lease = _Lease(store, Writer.this(command))
    is_told = False
    while (other := lease.take()) is not None:
        if tell is None:
            raise RostrumError(f"{store.root}: is written by {other}; wait until that has ended, or stop it")
        if not is_told:
            tell(printable(f"{store.root}: waiting for {other}, which writes there; Ctrl-C ends this"))
            is_told = True
        time.sleep(POLL_SECONDS)
    with tidied_by(lease.give_back):
        try:
            yield
        finally:
            lease.give_back()


def refuse_other_writer(store: Store) -> None:
    """Raise an error if another process has taken over the run, because this one seemed to be gone."""
    now = _named(store)
    if now and (now.host, now.process) != (platform.node(), os.getpid()):
        raise RostrumError(f"{store.root}: {now} has taken over while this one was away; finished results are kept")


class _Lease:
    """The right of this process to write a run."""

    def __init__(self, store: Store, own: Writer) -> None:
        self._store, self._own = store, own
        self._file: _LockedFile | None = None
        self._ended = threading.Event()
        self._seen: tuple[Writer | None, float] = (None, 0.0)

    def take(self) -> Writer | str | None:
        """Take the right, and return None. If another process has it, return that."""
        with ExitStack() as held:
            try:
                file = held.enter_context(_LockedFile(self._store.local(FILE))) if self._store.is_local else None
            except BlockingIOError:
                return _named(self._store) or "another process"
            is_locked = file is not None and file.is_locked
            other = _named(self._store)
            if other and not self._is_gone(other, is_locked):
                return other
            self._file = file
            self._write()
            if not is_locked:
                time.sleep(SETTLE_SECONDS)
                now = _named(self._store)
                if now and now.token != self._own.token:
                    return now
            held.pop_all()
        threading.Thread(target=self._renew, daemon=True).start()
        return None

    def give_back(self) -> None:
        """Let other processes write the run."""
        if self._ended.is_set():
            return
        self._ended.set()
        with self._file or nullcontext(), suppress(RostrumError, OSError):
            now = _named(self._store)
            if now and now.token == self._own.token:
                self._store.remove(FILE)

    def _is_gone(self, other: Writer, is_locked: bool) -> bool:
        """Whether a process that the file names has ended, or seems to have: it has not renewed the file for long."""
        if is_locked and other.is_here or other.has_ended:
            return True
        seen, since = self._seen
        if seen != other:
            self._seen = other, time.monotonic()
            return False
        return time.monotonic() - since > STALE_SECONDS

    def _write(self) -> None:
        content = self._own.model_dump_json().encode()
        if self._file:
            self._file.write(content)
        else:
            self._store.write("", FILE, content)

    def _renew(self) -> None:
        while not self._ended.wait(RENEW_SECONDS):
            with suppress(RostrumError, OSError):  # storage may be away for a moment
                now = _named(self._store)
                if now and now.token != self._own.token:
                    return
                self._own.renewed += 1
                self._write()


class _LockedFile:
    """A file with a lock on it, as long as this context is open. Raises BlockingIOError if another process holds it.

    On a drive without locks, it is not locked.
    """

    # The content is padded to a length, so that it can be replaced by one write.
    LENGTH = 1024

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{path.parent}: cannot be made: {error.strerror}") from error
        self._handle, self.is_locked = open_lock(path)

    def __enter__(self) -> "_LockedFile":
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            if not os.fstat(self._handle).st_size:
                self.path.unlink(missing_ok=True)
        os.close(self._handle)
        with suppress(OSError):  # a run that wrote nothing leaves no folder
            self.path.parent.rmdir()

    def write(self, content: bytes) -> None:
        try:
            os.pwrite(self._handle, content.ljust(self.LENGTH), 0)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot write it: {error.strerror}") from error


def _named(store: Store) -> Writer | None:
    """The process that the file names; None if there is no such file, or it says nothing."""
    content = store.read("", FILE)
    try:
        return Writer.model_validate_json(content) if content else None
    except ValidationError:
        return None


def _is_writable(folder: Path) -> bool:
    """Whether this user can write files into a folder, or make it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)
