"""The report's folder: pages are written whole, only when what they show has changed, and removed when it is gone.

The folder may come from somebody else, so nothing in it is trusted: what the state names must look like a report's own
file, and nothing is written or removed through a link.
"""

import hashlib
import json
import os
import re
import stat
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError, StorageError
from pipeline.system.files import LARGEST_TEXT, is_inside, read_file

FRONT = "index.html"
# What the last report wrote, and of what. Not called .json, which in a store is the name of an artifact.
_STATE = "report.state"
_LOCK = "report.lock"
# What a report's files are called; no other file is ever removed.
_FOLDERS = ("static", "speeches", "motions", "data", "audio", "plots", "files")
_OWN = re.compile(rf"(index|search)\.html|({'|'.join(_FOLDERS)})/\w[\w.-]*", re.ASCII)
_PART = re.compile(r"\.[0-9a-f]{32}\.part")
_SAVE_SECONDS = 10.0


def fingerprint(*parts: Any) -> str:
    """A digest of everything that decides what a page shows."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


@contextmanager
def opened(folder: Path) -> Iterator["Site"]:
    """The folder, for one report at a time; other reports wait. At the end, what is gone from the report is removed."""
    from filelock import FileLock

    _refuse_others_pages(folder)
    lock = folder / _LOCK
    if lock.is_symlink():
        raise RostrumError(f"{lock}: is a link, which rostrum never makes; remove it")
    with _writing(lock):
        folder.mkdir(parents=True, exist_ok=True)
        held = FileLock(lock).acquire()
    with held:
        site = Site(folder)
        try:
            yield site
        except BaseException:
            site.save_for_next_time()
            raise
        site.finish()


class Site:
    """What is written where. A file is known by its path in the folder, with slashes.

    A file stays if it is the one that the last report wrote. Another one of its name is written again, whatever the
    state says: whoever made the folder may have written both.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: dict[str, str] = self._read_state()
        self._now: dict[str, str] = {}
        self._saved = time.monotonic()
        for path in (path for place in ("", *_FOLDERS) for path in (folder / place).glob(".*.part")):
            if _PART.fullmatch(path.name) and is_inside(path.parent, folder):
                path.unlink(missing_ok=True)  # a report that was killed left it

    def write(self, names: Iterable[str], of: str, make: Callable[[], Iterable[str | bytes]]) -> None:
        """Write these files with what `make` returns, unless they are there and were made `of` the same."""
        names = list(names)
        if self._stay(names, of):
            return
        for name, content in zip(names, make(), strict=True):
            data = content if isinstance(content, bytes) else content.encode()
            self._produce(name, of, lambda path, data=data: path.write_bytes(data))  # type: ignore[misc]

    def has(self, names: Iterable[str]) -> bool:
        """Whether files that are named for their content are all there; then they stay."""
        return self._stay(names, "")

    def produce(self, name: str, make: Callable[[Path], None]) -> None:
        """Have `make` write a file that is named for its content, unless it is there."""
        if not self.has([name]):
            self._produce(name, "", make)

    def keep(self, of: str) -> bool:
        """Keep the files that were made `of` the same, if there are any and they are all there."""
        names = [name for name, made in self._before.items() if made.partition(" ")[0] == of]
        return bool(names) and self._stay(names, of)

    def finish(self) -> None:
        """Remove what the last report wrote and this one did not."""
        for name in self._before.keys() - self._now.keys():
            path = self._path(name)
            if path.is_file() or path.is_symlink():  # a folder is nothing that a report wrote
                path.unlink(missing_ok=True)
        if self._now != self._before:
            self._save(self._now)

    def save_for_next_time(self) -> None:
        """Save what is written so far, so that a report that is broken off goes on."""
        self._save({**self._before, **self._now})

    def _stay(self, names: Iterable[str], of: str) -> bool:
        """Whether the files were written by the last report, made `of` the same; then they are part of this one."""
        known = {**self._before, **self._now}
        found = {name: made for name in names if (made := self._made(name, of)) and known.get(name) == made}
        if is_there := set(names) == set(found):
            self._now.update(found)
        return is_there

    def _made(self, name: str, of: str) -> str | None:
        """What the state says of a file that was made `of` this, and is what it is now; None where there is no file."""
        try:
            status = os.lstat(self._path(name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        # When a file was put in its place is nothing that who made it can choose.
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        return " ".join([of, *map(str, stamp)]) if stat.S_ISREG(status.st_mode) else None

    def _save(self, made: Mapping[str, str]) -> None:
        content = json.dumps(made, indent=0, sort_keys=True)
        self._write(_STATE, lambda path: path.write_text(content))
        self._saved = time.monotonic()

    def _read_state(self) -> dict[str, str]:
        """What the last report wrote; nothing where there is no state that one could have written."""
        try:
            found = json.loads(read_file(self.folder / _STATE, LARGEST_TEXT))
        except FileNotFoundError:
            self._save({})  # from now on the folder is a report's
            return {}
        except (ValueError, RecursionError):
            return {}  # only decides what is written again
        except OSError as error:
            raise StorageError(f"{self.folder / _STATE}: cannot be read: {error.strerror}") from error
        if not isinstance(found, dict) or not all(isinstance(of, str) for of in found.values()):
            return {}
        if strange := next((name for name in found if not _OWN.fullmatch(name)), None):
            raise RostrumError(
                f"{self.folder / _STATE}: names {strange}, which no report writes; "
                f"remove {_STATE} and {FRONT} to write the report anew"
            )
        return found

    def _path(self, name: str) -> Path:
        """Where a file of the report is; never outside of its folder, whatever links there are."""
        if name != _STATE and not _OWN.fullmatch(name):
            raise RostrumError(f"{self.folder}: {name} is no name for a file of the report")
        path = self.folder / name
        if not is_inside(path.parent, self.folder):
            raise RostrumError(f"{path.parent}: leads out of the report's folder; remove that link")
        return path

    def _produce(self, name: str, of: str, make: Callable[[Path], Any]) -> None:
        """Have `make` write a file of the report. Now and then the state is saved, so that a killed one goes on."""
        self._write(name, make)
        self._now[name] = self._made(name, of) or of
        if time.monotonic() - self._saved > _SAVE_SECONDS:
            self.save_for_next_time()

    def _write(self, name: str, make: Callable[[Path], Any]) -> None:
        """Have `make` write a file, whole or not at all."""
        path = self._path(name)
        temporary = path.with_name(f".{uuid.uuid4().hex}.part")
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                make(temporary)
                os.replace(temporary, path)
            finally:
                temporary.unlink(missing_ok=True)


def _refuse_others_pages(folder: Path) -> None:
    if (folder / FRONT).exists() and not (folder / _STATE).exists():
        raise RostrumError(f"{folder}: contains an {FRONT} that rostrum did not write; name another folder")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from error
