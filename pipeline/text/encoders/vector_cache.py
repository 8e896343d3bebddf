"""Vectors of texts on disk, by the texts' digests, so that no text is embedded twice on a machine."""

import hashlib
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from pipeline.arrays import Vectors

_LOG = logging.getLogger(__name__)
_AT_ONCE = 500  # below SQLite's limit of variables in a statement
_PATIENCE_SECONDS = 30.0


class VectorCache:
    """One encoder's vectors in an SQLite file that processes may share. It holds digests, never a text.

    It may be deleted at any time. Where it cannot be read or written, texts are embedded again, and the log says so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._usable = True

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those of the texts that are known."""
        keys = {_key(text): text for text in texts}
        found: dict[bytes, bytes] = {}
        try:
            if self._usable and self.path.exists():
                with closing(self._connected()) as connection:
                    for start in range(0, len(keys), _AT_ONCE):
                        some = list(keys)[start : start + _AT_ONCE]
                        marks = ",".join("?" * len(some))
                        found.update(
                            connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # nosec B608: question marks
                        )
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
        return {keys[key]: np.frombuffer(vector, dtype="<f4") for key, vector in found.items()}

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors for the next time."""
        rows = [(_key(text), np.asarray(vector, dtype="<f4").tobytes()) for text, vector in vectors.items()]
        try:
            if self._usable:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with closing(self._connected()) as connection, connection:
                    connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_PATIENCE_SECONDS)
        connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        return connection

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        _LOG.warning("%s: vectors are not kept there (%s); texts will be embedded again next time", self.path, error)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
