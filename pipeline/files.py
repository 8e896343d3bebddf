"""Reading files that come from outside: their text encoding, and whether they lie inside a folder."""

import os
from pathlib import Path

from pipeline.errors import RostrumError


def read_text(path: Path, fallback: str | None = None) -> str:
    """The text of a file: UTF-8, with or without a byte order mark, or UTF-16 with one.

    Text in another encoding is an error, unless `fallback` names the encoding to try next.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
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


def is_file(path: Path) -> bool:
    """Whether there is a file of that name. A name too long for a file is none."""
    try:
        return path.is_file()
    except OSError:
        return False
