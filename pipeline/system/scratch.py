"""Temporary files that are removed when the process that made them ends, also if it was killed."""

import atexit
import fcntl
import functools
import os
import re
import shutil
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

from pipeline.errors import StorageError

# On a file system without locks, a file is taken for a leftover after so many seconds.
STALE_AFTER_SECONDS = 3600.0
_NAME = re.compile(r"[0-9a-f]{32}")
_open: "set[Scratch]" = set()


class Scratch:
    """Temporary files in a folder that several processes share.

    Each process has its own part of the folder, and keeps a lock on it until it ends.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._part: Path | None = None
        self._lock: int | None = None

    def new(self, suffix: str = "") -> Path:
        """A path for a new temporary file of this process."""
        try:
            return self._own() / f"{uuid.uuid4().hex}{suffix}"
        except OSError as error:
            raise StorageError(f"{self.folder}: cannot write temporary files: {error.strerror}") from error

    def close(self) -> None:
        """Remove the temporary files of this process."""
        if self._part is not None and self._lock is not None:
            _remove(self._part)
            os.close(self._lock)
            self._part = self._lock = None
            _open.discard(self)

    def clear(self) -> None:
        """Remove the temporary files of processes that have ended."""
        with suppress(OSError):
            for path in list(self.folder.iterdir()):
                if _NAME.fullmatch(path.stem) and path.suffix in ("", ".lock") and _is_left(path):
                    _remove(path.with_suffix(""))

    def _own(self) -> Path:
        if self._part is None or self._lock is None or not self._part.is_dir():
            self.clear()
            self._part, self._lock = _new_part(self.folder)
            _open.add(self)
        os.utime(self._lock)  # a sign of life on a file system without locks
        return self._part


def _new_part(folder: Path) -> tuple[Path, int]:
    """A new part and its lock. The lock is made and taken before the part is made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        part = folder / uuid.uuid4().hex
        lock = os.open(part.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_nlink:  # else another process has removed it as a leftover before it was locked
            part.mkdir(mode=0o700)
            return part, lock
        os.close(lock)


def _is_left(path: Path) -> bool:
    """Whether a part or a lock is a leftover of a process that has ended."""
    try:
        lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return path.is_dir() and not path.is_symlink() or _is_old(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return _is_old(path)
    finally:
        os.close(lock)
    return True


def _is_old(path: Path) -> bool:
    with suppress(OSError):
        return time.time() - path.lstat().st_mtime > STALE_AFTER_SECONDS
    return False


def _remove(part: Path) -> None:
    """Remove a part, then its lock."""
    with suppress(OSError):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
        part.with_suffix(".lock").unlink(missing_ok=True)


def own_folder() -> Path:
    """A folder in the system's temporary folder that only this user can use."""
    folder = Path(tempfile.gettempdir(), f"rostrum-{os.getuid()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    state = folder.lstat()
    if folder.is_symlink() or state.st_uid != os.getuid():
        raise StorageError(f"{folder}: belongs to another user; set TMPDIR to a folder of your own")
    return folder


def new_file(suffix: str) -> Path:
    """A path for a new temporary file, in the system's temporary folder."""
    return _system().new(suffix)


def clear() -> None:
    """Remove the temporary files of processes that have ended from the system's temporary folder."""
    _system().clear()


@atexit.register
def close() -> None:
    """Remove all temporary files of this process, when it ends."""
    for scratch in tuple(_open):
        scratch.close()


@functools.cache
def in_folder(folder: Path) -> Scratch:
    """The temporary files of a folder. The same object every time, so that a process has one part of it."""
    return Scratch(folder)


def _system() -> Scratch:
    return in_folder(own_folder())
