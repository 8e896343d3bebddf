"""The report's folder. A page is written completely or not at all, and only if what it shows has changed.

The folder may come from somebody else, so nothing in it is trusted. A file that the state names must have the name of a
report's file, and nothing is written or removed through a link.
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
from functools import cache
from pathlib import Path
from typing import Any

import pipeline
from pipeline.errors import RostrumError, StorageError
from pipeline.system.files import LARGEST_TEXT, is_inside, read_file
from pipeline.system.lock import locked

FRONT = "index.html"
# The files that the last report wrote, and a fingerprint of each. Not .json, which in a store is an artifact.
_STATE = "report.state"
_LOCK = "report.lock"
# The names of a report's files. Files with other names are never removed.
_FOLDERS = ("static", "speeches", "motions", "flows", "data", "audio", "plots", "files")
_OWN = re.compile(rf"(index|search)\.html|({'|'.join(_FOLDERS)})/\w[\w.-]*", re.ASCII)
_PART = re.compile(r"\.[0-9a-f]{32}\.part")
_SAVE_SECONDS = 10.0


def fingerprint(*parts: Any) -> str:
    """A digest of everything that decides what a page shows: these parts, and the code and templates that make it."""
    return hashlib.sha256(json.dumps([_code_digest(), *parts], sort_keys=True, default=str).encode()).hexdigest()


@cache
def _code_digest() -> str:
    """A digest of all code and templates of the project. When one of them changes, all pages are written again."""
    return digest_of_code(Path(pipeline.__file__).parent)


def digest_of_code(package: Path) -> str:
    """A digest of the names and contents of all modules and templates in a package."""
    digest = hashlib.sha256()
    for path in sorted(path for path in package.rglob("*") if path.suffix in (".py", ".j2")):
        digest.update(f"{path.relative_to(package)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@contextmanager
def opened(folder: Path) -> Iterator["Site"]:
    """Open the folder for one report at a time; others wait. At the end, files that are no longer used are removed."""
    _refuse_others_pages(folder)
    lock = folder / _LOCK
    with _writing(lock):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(lock, f"{folder}: waiting for another process, which writes this report"):
        site = Site(folder)
        try:
            yield site
        except BaseException:
            site.save_for_next_time()
            raise
        site.finish()


class Site:
    """The files of a report. Each is named by its path in the folder, with slashes.

    A file stays if the last report wrote it and it was made from the same data. A file that somebody else wrote is
    written again, even if the state names it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: dict[str, str] = self._read_state()
        self._now: dict[str, str] = {}
        self._saved = time.monotonic()
        for path in (path for place in ("", *_FOLDERS) for path in (folder / place).glob(".*.part")):
            if _PART.fullmatch(path.name) and is_inside(path.parent, folder):
                path.unlink(missing_ok=True)  # left by a report that was killed

    def write(self, names: Iterable[str], of: str, make: Callable[[], Iterable[str | bytes]]) -> None:
        """Write these files with the contents that `make` returns, unless they exist and have the fingerprint `of`."""
        names = list(names)
        if self._stay(names, of):
            return
        for name, content in zip(names, make(), strict=True):
            data = content if isinstance(content, bytes) else content.encode()
            self._produce(name, of, lambda path, data=data: path.write_bytes(data))  # type: ignore[misc]

    def has(self, names: Iterable[str]) -> bool:
        """Whether all these files exist; then they stay. Their names contain digests of their content."""
        return self._stay(names, "")

    def produce(self, name: str, make: Callable[[Path], None]) -> None:
        """Let `make` write a file whose name contains a digest of its content, unless it exists."""
        if not self.has([name]):
            self._produce(name, "", make)

    def keep(self, of: str) -> bool:
        """Keep the files with the fingerprint `of`, if there are any and all of them exist."""
        names = [name for name, made in self._before.items() if made.partition(" ")[0] == of]
        return bool(names) and self._stay(names, of)

    def finish(self) -> None:
        """Remove files that the last report wrote and this one did not."""
        for name in self._before.keys() - self._now.keys():
            path = self._path(name)
            if path.is_file() or path.is_symlink():  # a folder was not written by a report
                path.unlink(missing_ok=True)
        if self._now != self._before:
            self._save(self._now)

    def save_for_next_time(self) -> None:
        """Save the state so far, so that a report that is interrupted can continue."""
        self._save({**self._before, **self._now})

    def _stay(self, names: Iterable[str], of: str) -> bool:
        """Whether the last report wrote all these files with the fingerprint `of`; then they are part of this one."""
        known = {**self._before, **self._now}
        entries = {name: made for name in names if (made := self._made(name, of)) and known.get(name) == made}
        if is_there := set(names) == set(entries):
            self._now.update(entries)
        return is_there

    def _made(self, name: str, of: str) -> str | None:
        """The state's entry for a file as it is now, with the fingerprint `of`; None if there is no file."""
        try:
            status = os.lstat(self._path(name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        # Nobody can choose the time at which a file was put in its place, so another file cannot have the same entry.
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        return " ".join([of, *map(str, stamp)]) if stat.S_ISREG(status.st_mode) else None

    def _save(self, made: Mapping[str, str]) -> None:
        content = json.dumps(made, indent=0, sort_keys=True)
        self._write(_STATE, lambda path: path.write_text(content))
        self._saved = time.monotonic()

    def _read_state(self) -> dict[str, str]:
        """The entries of the last report; empty if there is no state, or it is damaged."""
        try:
            entries = json.loads(read_file(self.folder / _STATE, LARGEST_TEXT))
        except FileNotFoundError:
            self._save({})  # marks the folder as that of a report
            return {}
        except (ValueError, RecursionError):
            return {}  # then everything is written again
        except OSError as error:
            raise StorageError(f"{self.folder / _STATE}: cannot be read: {error.strerror}") from error
        if not isinstance(entries, dict) or not all(isinstance(of, str) for of in entries.values()):
            return {}
        if strange := next((name for name in entries if not _OWN.fullmatch(name)), None):
            raise RostrumError(
                f"{self.folder / _STATE}: names {strange}, which no report writes; "
                f"remove {_STATE} and {FRONT} to write the report again"
            )
        return entries

    def _path(self, name: str) -> Path:
        """The path of a file of the report. A link that leads out of the folder is an error."""
        if name != _STATE and not _OWN.fullmatch(name):
            raise RostrumError(f"{self.folder}: {name} is not a name for a file of the report")
        path = self.folder / name
        if not is_inside(path.parent, self.folder):
            raise RostrumError(f"{path.parent}: leads out of the report's folder; remove that link")
        return path

    def _produce(self, name: str, of: str, make: Callable[[Path], Any]) -> None:
        """Let `make` write a file of the report. The state is saved from time to time, in case the report is killed."""
        self._write(name, make)
        self._now[name] = self._made(name, of) or of
        if time.monotonic() - self._saved > _SAVE_SECONDS:
            self.save_for_next_time()

    def _write(self, name: str, make: Callable[[Path], Any]) -> None:
        """Let `make` write a file, completely or not at all."""
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
