"""Locks that processes of one user share. A lock ends with the process that holds it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import RostrumError, StorageError
from pipeline.system.logs import logger

# After so many seconds of waiting, a line says what is waited for.
TELL_SECONDS, POLL_SECONDS = 2.0, 0.05


def open_lock(path: Path) -> tuple[int, bool]:
    """(the handle of a file with a lock on it, whether the drive has locks at all).

    Raises BlockingIOError if another process holds the lock. Only this user can open the file, because whoever can
    open it can hold its lock.
    """
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        except PermissionError as error:
            raise StorageError(f"{path}: cannot be written; it may belong to another user") from error
        except OSError as error:
            raise RostrumError(f"{path}: cannot be used as a lock: {error.strerror}; remove it") from error
        is_locked = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise
        except OSError:
            is_locked = False
        if os.fstat(handle).st_nlink:  # else the process before has just removed it
            return handle, is_locked
        os.close(handle)


def is_held(path: Path) -> bool:
    """Whether another process holds the lock."""
    try:
        handle, _ = open_lock(path)
    except BlockingIOError:
        return True
    os.close(handle)
    return False


@contextmanager
def locked(path: Path, waiting: str = "") -> Iterator[None]:
    """Hold a lock in this context, once no other process does. A wait of some seconds is told by the line `waiting`."""
    began = time.monotonic()
    while True:
        try:
            handle, _ = open_lock(path)
            break
        except BlockingIOError:
            if waiting and time.monotonic() - began > TELL_SECONDS:
                logger.warning(waiting)
                waiting = ""
            time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        os.close(handle)
