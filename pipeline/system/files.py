"""Reads files that come from outside with care, and writes files beside a user's own without replacing any."""

import hashlib
import os
import stat
import uuid
from pathlib import Path

from pipeline.errors import RostrumError, nearest

# In bytes. No transcript or manifest is nearly as large.
LARGEST_TEXT = 100_000_000


def read_file(path: Path, largest: int | None = None) -> bytes:
    """The content of a file. Raises OSError as `open` does. A file of more than `largest` bytes is an error.

    A pipe, a device or a folder is an error at once. (Reading from a pipe could wait forever.)
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise RostrumError(f"{path}: not a file; remove it")
        if largest is not None and status.st_size > largest:
            raise RostrumError(f"{path}: {status.st_size:,} bytes; more than {largest:,} are not read")
        return file.read()


def write_file(path: Path, content: bytes, *, replace: bool) -> None:
    """Write a file, completely or not at all. Raises OSError as `open` does, also if it exists and not `replace`."""
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        temporary.write_bytes(content)
        if not replace:
            path.open("xb").close()
        os.replace(temporary, path)
    except OSError as error:
        error.filename = str(path)  # the user does not know the temporary file
        raise
    finally:
        temporary.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """The sha256 of a file's content, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_text(path: Path, fallback: str | None = None, *, may_have_nul: bool = False) -> str:
    """The text of a file: UTF-8, with or without a byte order mark, or UTF-16 with one.

    Text in another encoding is an error, unless `fallback` names the encoding to try next.
    """
    try:
        content = read_file(path, LARGEST_TEXT)
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
        if "\0" in text and not may_have_nul:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise RostrumError(f"{path}:{line}: not text, or not UTF-8: it has NUL characters; save it as UTF-8")
        return text
    except UnicodeDecodeError as error:
        if fallback:
            return content.decode(fallback)
        line = content.count(b"\n", 0, error.start) + 1
        raise RostrumError(f"{path}:{line}: not UTF-8 text; save it as UTF-8") from error


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a file is inside a folder when all links are followed. A circle of links is not."""
    try:
        return path.resolve(strict=os.path.islink(path)).is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, a broken link, or a name that no file can have
        return False


class Inside:
    """Answers `path in Inside(folder)` for many files. Each file's own folder is checked once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parents: dict[Path, bool] = {}

    def __contains__(self, path: Path) -> bool:
        parent = path.parent
        if path == self._folder or path.name == ".." or "\0" in path.name or os.path.islink(path):
            return is_inside(path, self._folder)
        if parent not in self._parents:
            self._parents[parent] = is_inside(parent, self._folder)
        return self._parents[parent]


def is_file(path: Path) -> bool:
    """Whether there is a file of that name; false for a name that is too long for a file."""
    try:
        return path.is_file()
    except OSError:
        return False


def not_there(path: Path, what: str = "no such file or folder") -> RostrumError:
    """The error for a missing path. It names a similar file or folder beside it, if there is one."""
    try:
        near = nearest(path.name, (file.name for file in path.parent.iterdir()))
    except OSError:
        near = None
    return RostrumError(f"{path}: {what}{f'; did you mean {path.parent / near}?' if near else ''}")
