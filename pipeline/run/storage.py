"""Files of a run, on this machine or in an object store. A file is written completely or not at all.

Files are named relative to the run's root. A local run may come from somebody else. So links never lead out of its
folder when a file is read, written or removed, and only regular files are opened.
"""

import os
import shutil
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pipeline.errors import RostrumError, StorageError
from pipeline.records import Attachment, file_digest
from pipeline.system import scratch
from pipeline.system.files import read_file
from pipeline.system.scratch import Scratch

T = TypeVar("T")
V = TypeVar("V")
TEMPORARY = ".tmp"
# How many requests an object store gets at once.
AT_ONCE = 32
# Local copies of an object store's attachments are kept for so long.
KEPT_SECONDS = 7 * 24 * 3600.0
# The size of a file, and its time of change or its version. The same stamp means that the file is unchanged.
Stamp = tuple[int, str]


class Storage(Protocol):
    """The operations on files that a store needs."""

    def path(self, name: str) -> str:
        """The file's full name, for messages."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes, or None where there is no such file."""

    def contents(self, folder: str, wanted: Container[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """(name, bytes) of every file in a folder, or of those that are `wanted`. Folders in it are left out."""

    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        """Write a whole file or none of it. A file that is not `lasting` may be lost in a power failure."""

    def create(self, name: str, content: bytes) -> bool:
        """Write a new file, and return True. Returns False if there is one: of several processes, one is first."""

    def put(self, name: str, attachment: Attachment) -> None:
        """Copy an attachment's file there, whole or not at all."""

    def file_of(self, name: str, attachment: Attachment) -> Path:
        """The path on this machine of an attachment's file. The file may be missing, or have another content."""

    def listing(self) -> Mapping[str, Stamp]:
        """Every file, with its stamp. Links are left out."""

    def files_in(self, folder: str) -> Mapping[str, Stamp]:
        """Every file in a folder, but not in folders below it, with its stamp. Links are left out."""

    def each(self, function: Callable[[V], T], values: Iterable[V]) -> list[T]:
        """The function's result for each value. An object store gets many requests at once."""

    def remove(self, name: str) -> None:
        """Remove a file, and folders that become empty."""

    def clear(self) -> None:
        """Remove temporary files of processes that are gone."""


class LocalStorage:
    """A folder of this machine."""

    def __init__(self, root: Path) -> None:
        self.root, self._real_root = root, os.path.realpath(root)
        self._scratch: Scratch | None = None

    def path(self, name: str) -> str:
        return str(self.root / name)

    def read(self, name: str) -> bytes | None:
        path = self._inside(name)
        try:
            return read_file(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except IsADirectoryError as error:
            raise RostrumError(f"{path}: not a file; remove it") from error
        except OSError as error:
            raise StorageError(f"{path}: cannot read it: {error.strerror or error}") from error

    def contents(self, folder: str, wanted: Container[str] | None = None) -> Iterator[tuple[str, bytes]]:
        for entry in _entries(self._inside(folder)):
            if (wanted is None or entry.name in wanted) and entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # another process has just removed it
                    yield f"{folder}/{entry.name}", Path(entry.path).read_bytes()

    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        def fill(temporary: Path) -> None:
            with temporary.open("wb") as file:
                file.write(content)
                if lasting:
                    file.flush()
                    os.fsync(file.fileno())

        self._make(name, fill, lasting=lasting)

    def create(self, name: str, content: bytes) -> bool:
        path = self._inside(name, of_link=True)
        with _writing(str(path)):
            handle = None
            while handle is None:
                path.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):  # another process has just removed the empty folder
                    try:
                        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                    except FileExistsError:
                        return False
            with os.fdopen(handle, "wb") as file:
                file.write(content)
        return True

    def put(self, name: str, attachment: Attachment) -> None:
        def fill(temporary: Path) -> None:
            shutil.copyfile(attachment.path, temporary)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())

        self._make(name, fill)

    def file_of(self, name: str, attachment: Attachment) -> Path:
        return self._inside(name)

    def listing(self) -> Mapping[str, Stamp]:
        return dict(_files(self.root, ""))

    def files_in(self, folder: str) -> Mapping[str, Stamp]:
        entries = _entries(self._inside(folder))
        return {f"{folder}/{each.name}": stamp for each in entries if (stamp := _stamp(each))}

    def each(self, function: Callable[[V], T], values: Iterable[V]) -> list[T]:
        return [function(value) for value in values]

    def remove(self, name: str) -> None:
        path = self._inside(name, of_link=True)
        path.unlink(missing_ok=True)
        for folder in Path(name).parents:
            if folder.name:
                with suppress(OSError):  # it is not empty
                    (self.root / folder).rmdir()

    def clear(self) -> None:
        self._temporary().clear()

    def _make(self, name: str, fill: Callable[[Path], None], *, lasting: bool = True) -> None:
        """Let `fill` write a temporary file, then rename it to `name`."""
        target = self._inside(name, of_link=True)
        with _writing(str(target)):
            temporary = self._temporary().new()
            try:
                fill(temporary)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(temporary, target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            if lasting:
                _flush_folder(target.parent)

    def _temporary(self) -> Scratch:
        if self._scratch is None:
            folder = self._inside(TEMPORARY)
            if folder.is_symlink():
                raise RostrumError(f"{folder}: a link; remove it")
            self._scratch = scratch.in_folder(folder)
        return self._scratch

    def _inside(self, name: str, *, of_link: bool = False) -> Path:
        """The path of a file of the run. A link that leads out of the run is an error, not followed."""
        path = self.root / name
        followed = Path(os.path.realpath(path.parent), path.name) if of_link else Path(os.path.realpath(path))
        if not followed.is_relative_to(self._real_root) or ".." in Path(name).parts:
            raise RostrumError(f"{path}: leads out of the run's folder; remove the link")
        return path


class RemoteStorage:
    """A folder of an object store, through fsspec."""

    def __init__(self, filesystem: Any, root: str) -> None:
        self.filesystem, self.root = filesystem, root

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self.filesystem.cat_file(self.path(name)))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StorageError(f"{self.path(name)}: cannot read it: {error.strerror or error}") from error

    def contents(self, folder: str, wanted: Container[str] | None = None) -> Iterator[tuple[str, bytes]]:
        names = [name for name in self.files_in(folder) if wanted is None or name.rpartition("/")[2] in wanted]
        for start in range(0, len(names), 16 * AT_ONCE):
            part = names[start : start + 16 * AT_ONCE]
            for name, content in zip(part, self.each(self.read, part), strict=True):
                if content is not None:
                    yield name, content

    def write(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        with _writing(self.path(name)):
            self.filesystem.pipe_file(self.path(name), content)

    def create(self, name: str, content: bytes) -> bool:
        # S3, Google's and Azure's stores let one of several processes be first. fsspec asks others whether it is there.
        with _writing(self.path(name)):
            try:
                self.filesystem.pipe_file(self.path(name), content, mode="create")
            except FileExistsError:
                return False
            return True

    def put(self, name: str, attachment: Attachment) -> None:
        with _writing(self.path(name)):
            self.filesystem.put_file(str(attachment.path), self.path(name))
            _keep(attachment, lambda temporary: shutil.copyfile(attachment.path, temporary))

    def file_of(self, name: str, attachment: Attachment) -> Path:
        """The attachment's file. It is downloaded once, and kept for some days."""
        local = _kept(attachment)
        if not local.is_file() or file_digest(local) != attachment.sha256:
            try:
                _keep(attachment, lambda temporary: self.filesystem.get_file(self.path(name), str(temporary)))
            except FileNotFoundError:
                local.unlink(missing_ok=True)
            except OSError as error:
                raise StorageError(f"{self.path(name)}: cannot read it: {error.strerror or error}") from error
        return local

    def listing(self) -> Mapping[str, Stamp]:
        try:
            found = self.filesystem.find(self.root, detail=True)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StorageError(f"{self.root}: cannot list it: {error.strerror or error}") from error
        return {
            name.removeprefix(f"{self.root}/"): (int(facts.get("size") or 0), _version(facts))
            for name, facts in found.items()
        }

    def files_in(self, folder: str) -> Mapping[str, Stamp]:
        try:
            found = self.filesystem.ls(self.path(folder), detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise StorageError(f"{self.path(folder)}: cannot list it: {error.strerror or error}") from error
        return {
            f"{folder}/{facts['name'].rpartition('/')[2]}": (int(facts.get("size") or 0), _version(facts))
            for facts in found
            if facts.get("type") == "file"
        }

    def each(self, function: Callable[[V], T], values: Iterable[V]) -> list[T]:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            return list(threads.map(function, values))

    def remove(self, name: str) -> None:
        with _writing(self.path(name)), suppress(FileNotFoundError):
            self.filesystem.rm_file(self.path(name))

    def clear(self) -> None:
        with suppress(OSError):
            for file in list(_kept_folder().iterdir()):
                if time.time() - file.stat().st_mtime > KEPT_SECONDS:
                    file.unlink(missing_ok=True)


def _kept(attachment: Attachment) -> Path:
    """The path of the local copy of an object store's attachment."""
    return _kept_folder() / f"{attachment.sha256}{attachment.suffix}"


def _kept_folder() -> Path:
    return scratch.own_folder() / "attachments"


def _keep(attachment: Attachment, fill: Callable[[Path], object]) -> None:
    """Let `fill` write the local copy of an attachment's file."""
    temporary = scratch.new_file(attachment.suffix)
    try:
        fill(temporary)
        _kept_folder().mkdir(mode=0o700, exist_ok=True)
        os.replace(temporary, _kept(attachment))
    finally:
        temporary.unlink(missing_ok=True)


def _files(folder: Path, prefix: str) -> Iterator[tuple[str, Stamp]]:
    """Every file below a folder, named relative to it, except temporary files. Links are not followed."""
    for each in _entries(folder):
        name = f"{prefix}{each.name}"
        if each.is_dir(follow_symlinks=False):
            if name != TEMPORARY:
                yield from _files(Path(each.path), f"{name}/")
        elif stamp := _stamp(each):
            yield name, stamp


def _entries(folder: Path) -> "list[os.DirEntry[str]]":
    """What is in a folder; nothing if there is no such folder."""
    try:
        return list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(f"{folder}: cannot list it: {error.strerror}") from error


def _stamp(entry: "os.DirEntry[str]") -> Stamp | None:
    """The stamp of a regular file; None for anything else, and for a file that another process has just removed."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    is_file = entry.is_file(follow_symlinks=False)
    return (status.st_size, str(status.st_mtime_ns)) if is_file else None


def _version(facts: Mapping[str, Any]) -> str:
    """What an object store gives as the version of an object; empty if it gives none."""
    return str(next((facts[key] for key in ("ETag", "etag", "LastModified", "mtime", "created") if facts.get(key)), ""))


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot write it: {error.strerror or error}") from error


def _flush_folder(folder: Path) -> None:
    """Make sure that a rename survives a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
