"""The sha256 of files and folders. It is remembered, so that a large file is read once.

A change that keeps the size and time of a file is not noticed. With $ROSTRUM_STRICT_MODELS set, every process reads a
file itself before it uses it.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError
from pipeline.system.files import sha256_of, write_file

# A file in a model's folder with the digests that were checked when it was fetched. Hidden files are not part of it.
VERIFIED = ".verified.json"
STRICT = "ROSTRUM_STRICT_MODELS"
_trusts_memory = ContextVar("trusts_memory", default=True)
# The digests that this process has taken itself, by (path, size, time of change).
_hashed: dict[tuple[Path, int, int], str] = {}


@contextmanager
def hashing_anew() -> Iterator[None]:
    """While this context is open, every file is read, and remembered digests are not used."""
    token = _trusts_memory.set(False)
    try:
        yield
    finally:
        _trusts_memory.reset(token)


def remembered_sha256(path: Path, memory: Path) -> str:
    """The sha256 of a file, from the JSON file `memory` if the file's size and time of change are the same."""
    path = path.absolute()
    size, mtime_ns = _state(path)
    if not _trusts_memory.get():
        return _taken(path, memory)
    if os.environ.get(STRICT):
        return _hashed.get((path, size, mtime_ns)) or _taken(path, memory)
    entry = _read(memory).get(_key(path, memory))
    if isinstance(entry, dict) and [entry.get("size"), entry.get("mtime_ns")] == [size, mtime_ns]:
        return str(entry["sha256"])
    return _taken(path, memory)


def _taken(path: Path, memory: Path) -> str:
    """The sha256 of a file, which is read and remembered."""
    size, mtime_ns = _state(path)
    digest = _hashed[path, size, mtime_ns] = sha256_of(path)
    remember({path: digest}, memory)
    return digest


def remember(digests: dict[Path, str], memory: Path) -> None:
    """Add digests to the JSON file `memory`. If it cannot be written, the files are read again next time."""
    entries = _read(memory)
    for path, digest in digests.items():
        size, mtime_ns = _state(path)
        entries[_key(path, memory)] = {"size": size, "mtime_ns": mtime_ns, "sha256": digest}
    with suppress(OSError):
        memory.parent.mkdir(parents=True, exist_ok=True)
        write_file(memory, json.dumps(entries, indent=1, sort_keys=True).encode(), replace=True)


def files_in(folder: Path) -> list[Path]:
    """Every file of a model's folder, in order, without hidden ones."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def combined(digests: Iterable[tuple[str, str]]) -> str:
    """One digest for (path, sha256) pairs: that of a single file, else the sha256 of the output of `sha256sum`."""
    pairs = sorted(digests)
    if len(pairs) == 1:
        return pairs[0][1]
    return hashlib.sha256("".join(f"{sha256}  {path}\n" for path, sha256 in pairs).encode()).hexdigest()


def digest_of(path: Path, memory: Path) -> str:
    """The digest of a file, or of all files of a folder."""
    if path.is_file():
        return remembered_sha256(path, memory)
    files = files_in(path)
    if not files:
        raise RostrumError(f"{path}: an empty folder; name one with a model")
    return combined((file.relative_to(path).as_posix(), remembered_sha256(file, memory)) for file in files)


def _key(path: Path, memory: Path) -> str:
    """The key of a file in `memory`: relative to the folder of `memory`, so that a cache can be moved."""
    return path.relative_to(memory.parent).as_posix() if path.is_relative_to(memory.parent) else str(path)


def _state(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def _read(memory: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        entries = json.loads(memory.read_text())
        if isinstance(entries, dict):
            return entries
    return {}
