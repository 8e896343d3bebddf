"""The report's folder: pages are written whole, only when what they show has changed, and removed when it is gone."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError, StorageError

FRONT = "index.html"
# What the last report wrote, and of what. Not called .json, which in a store is the name of an artifact.
_STATE = "report.state"


def fingerprint(*parts: Any) -> str:
    """A digest of everything that decides what a page shows."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


class Site:
    """What is written where. A file is known by its path in the folder, with slashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: dict[str, str] = self._read_state()
        self._now: dict[str, str] = {}

    def write(self, names: Iterable[str], of: str, make: Callable[[], Iterable[str | bytes]]) -> None:
        """Write these files with what `make` returns, unless they are there and were made `of` the same."""
        names = list(names)
        self._now.update(dict.fromkeys(names, of))
        if self._is_current(names, of):
            return
        for name, content in zip(names, make(), strict=True):
            self._write(name, content if isinstance(content, bytes) else content.encode())

    def produce(self, name: str, make: Callable[[Path], None]) -> None:
        """Have `make` write a file that is named for its content, unless it is there."""
        self._now[name] = ""
        path = self.folder / name
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path)

    def keep(self, of: str) -> bool:
        """Keep the files that were made `of` the same, if there are any and they are all there."""
        names = [name for name, made_of in self._before.items() if made_of == of]
        is_there = bool(names) and self._is_current(names, of)
        if is_there:
            self._now.update(dict.fromkeys(names, of))
        return is_there

    def finish(self) -> None:
        """Remove what the last report wrote and this one did not."""
        for name in self._before.keys() - self._now.keys():
            (self.folder / name).unlink(missing_ok=True)
        if self._now != self._before:
            self._write(_STATE, json.dumps(self._now, indent=0, sort_keys=True).encode())

    def _is_current(self, names: Iterable[str], of: str) -> bool:
        return all(self._before.get(name) == of and (self.folder / name).is_file() for name in names)

    def _read_state(self) -> dict[str, str]:
        try:
            content = (self.folder / _STATE).read_text(encoding="utf-8")
        except FileNotFoundError:
            if (self.folder / FRONT).exists():
                raise RostrumError(
                    f"{self.folder}: contains an index.html that rostrum did not write; name another folder"
                ) from None
            self._write(_STATE, b"{}")  # from now on the folder is a report's, finished or not
            return {}
        try:
            state: dict[str, str] = json.loads(content)
        except ValueError:
            return {}  # only decides what is written again
        return state

    def _write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        temporary = path.with_name(f"{path.name}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            os.replace(temporary, path)
        except OSError as error:
            raise StorageError(f"{path}: cannot write it: {error.strerror}") from error
