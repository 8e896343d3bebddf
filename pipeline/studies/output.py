"""A folder of results that is written again and again, and never over what somebody has changed in it."""

import hashlib
import json
import uuid
from pathlib import Path
from types import TracebackType

from pipeline.errors import RostrumError

_WRITTEN = ".written.json"


class Output:
    """The folder, while it is written. `new` gives the path of a file to write. At the end, all take their places.

    Files of the time before are replaced or removed only if they are as they were written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: list[str] = []
        self._temporary = folder.with_name(f".{folder.name}-{uuid.uuid4().hex}")

    def new(self, name: str) -> Path:
        """The path to write this file to; its folder is there."""
        self._names.append(name)
        path = self._temporary / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def __enter__(self) -> "Output":
        before = self._before()
        if self.folder.exists() and not before and any(self.folder.iterdir()):
            raise RostrumError(f"{self.folder}: has files that rostrum did not write; name another folder with --out")
        for name, digest in before.items():
            path = self.folder / name
            if path.exists() and _digest(path) != digest:
                raise RostrumError(
                    f"{path}: was changed since it was written; keep it, and name another folder with --out"
                )
        self._temporary.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._place()
        finally:
            _remove(self._temporary)

    def _place(self) -> None:
        for name in self._before().keys() - set(self._names):
            (self.folder / name).unlink(missing_ok=True)
        written = {}
        for name in dict.fromkeys(self._names):
            path = self._temporary / name
            if path.exists():
                written[name] = _digest(path)
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                path.replace(self.folder / name)
        (self.folder / _WRITTEN).write_text(json.dumps(written, indent=1), encoding="utf-8")

    def _before(self) -> dict[str, str]:
        """The digest of each file that was written the time before."""
        try:
            known = json.loads((self.folder / _WRITTEN).read_text(encoding="utf-8"))
            return {str(name): str(digest) for name, digest in known.items()}
        except (OSError, ValueError, AttributeError):
            return {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _remove(folder: Path) -> None:
    """Remove the temporary folder, which this process has made."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
