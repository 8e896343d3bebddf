"""Files of a run, on this machine or in an object store. A file is written completely or not at all.

Files are named relative to the run's root. A local run may come from somebody else. So links never lead out of its
folder when a file is read, written or removed, and only regular files are opened.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from pipeline.errors import RostrumError, StorageError
from pipeline.records import Attachment, file_digest
from pipeline.system import scratch
from pipeline.system.files import read_file
from pipeline.system.scratch import Scratch

TEMPORARY = ".tmp"
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

    def write(self, name: str, content: bytes) -> None:
        """Write a whole file or none of it."""

    def put(self, name: str, attachment: Attachment) -> None:
        """Copy an attachment's file there, whole or not at all."""

    def located(self, name: str, attachment: Attachment) -> Path:
        """The path on this machine of an attachment's file. The file may be missing, or have another content."""

    def listing(self) -> Mapping[str, Stamp]:
        """Every file, with its stamp. Links are left out."""

    def remove(self, name: str) -> None:
        """Remove a file, and folders that become empty."""

    def clear(self) -> None:
        """Remove temporary files of processes that are gone."""


class LocalStorage:
    """A folder of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
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

    def write(self, name: str, content: bytes) -> None:
        def fill(temporary: Path) -> None:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

        self._make(name, fill)

    def put(self, name: str, attachment: Attachment) -> None:
        def fill(temporary: Path) -> None:
            shutil.copyfile(attachment.path, temporary)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())

        self._make(name, fill)

    def located(self, name: str, attachment: Attachment) -> Path:
        return self._inside(name)

    def listing(self) -> Mapping[str, Stamp]:
        return dict(_files(self.root, ""))

    def remove(self, name: str) -> None:
        path = self._inside(name, of_link=True)
        path.unlink(missing_ok=True)
        for folder in Path(name).parents:
            if folder.name:
                with suppress(OSError):  # it is not empty
                    (self.root / folder).rmdir()

    def clear(self) -> None:
        self._temporary().clear()

    def _make(self, name: str, fill: Callable[[Path], None]) -> None:
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
        if not followed.is_relative_to(os.path.realpath(self.root)) or ".." in Path(name).parts:
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

    def write(self, name: str, content: bytes) -> None:
        with _writing(self.path(name)):
            self.filesystem.pipe_file(self.path(name), content)

    def put(self, name: str, attachment: Attachment) -> None:
        with _writing(self.path(name)):
            self.filesystem.put_file(str(attachment.path), self.path(name))
            _keep(attachment, lambda temporary: shutil.copyfile(attachment.path, temporary))

    def located(self, name: str, attachment: Attachment) -> Path:
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

    def remove(self, name: str) -> None:
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
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise StorageError(f"{folder}: cannot list it: {error.strerror}") from error
    for each in entries:
        name = f"{prefix}{each.name}"
        if each.is_dir(follow_symlinks=False):
            if name != TEMPORARY:
                yield from _files(Path(each.path), f"{name}/")
        elif each.is_file(follow_symlinks=False):
            with suppress(FileNotFoundError):  # another process has just removed it
                status = each.stat(follow_symlinks=False)
                yield name, (status.st_size, str(status.st_mtime_ns))


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
