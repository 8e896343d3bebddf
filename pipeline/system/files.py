"""Reading files that come from outside: what is a file, its text encoding, and whether it lies inside a folder.

Writing files beside a user's own: whole, and nothing is replaced unasked.
"""

import os
import stat
import uuid
from pathlib import Path

from pipeline.errors import RostrumError, nearest

# More text than all that people have ever said about a motion.
LARGEST_TEXT = 1_000_000_000


def read_file(path: Path, largest: int | None = None) -> bytes:
    """The content of a file, of at most so many bytes. Raises OSError as `open` does.

    A pipe, a device or a folder of that name is an error, and is not waited for.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise RostrumError(f"{path}: not a file; remove it")
        if largest is not None and status.st_size > largest:
            raise RostrumError(f"{path}: {status.st_size:,} bytes; more than {largest:,} are not read")
        return file.read()


def write_file(path: Path, content: bytes, *, replace: bool) -> None:
    """Write a file, whole or not at all. Raises OSError as `open` does: if it is there already, unless to `replace`."""
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        temporary.write_bytes(content)
        if not replace:
            path.open("xb").close()
        os.replace(temporary, path)
    except OSError as error:
        error.filename = str(path)  # nobody knows the temporary one
        raise
    finally:
        temporary.unlink(missing_ok=True)


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
    """Whether a file lies in a folder once all links are followed. A circle of links lies nowhere."""
    try:
        return path.resolve(strict=os.path.islink(path)).is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, a link to nothing, or no name that a file can have
        return False


class Inside:
    """Whether files lie in a folder, for many of them: each of their own folders is looked at once."""

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
    """Whether there is a file of that name. A name too long for a file is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def not_there(path: Path, what: str = "no such file or folder") -> RostrumError:
    """The error that nothing is at a path; a name beside it that is nearly the same may have been meant."""
    try:
        near = nearest(path.name, (each.name for each in path.parent.iterdir()))
    except OSError:
        near = None
    return RostrumError(f"{path}: {what}{f'; did you mean {path.parent / near}?' if near else ''}")
