"""A cache on disk of what was computed from texts, so that it is computed once on a machine."""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from pipeline.system.logs import logger

_AT_ONCE = 500  # below SQLite's limit of variables in a statement
_PATIENCE_SECONDS = 30.0


class DigestCache:
    """An SQLite file with bytes by the digest of a text. It never contains a text. Processes may share it.

    It may be deleted at any time. If it cannot be read or written, the log says so, and everything is computed again.
    `what` names the values, such as "vectors", in the log and as the table of the file.
    """

    def __init__(self, path: Path, what: str) -> None:
        assert what.isidentifier()
        self.path = path
        self._what = what
        self._usable = True

    def get(self, texts: Sequence[str]) -> dict[str, bytes]:
        """The cached values of those texts that have one."""
        keys = {_key(text): text for text in texts}
        values: dict[bytes, bytes] = {}
        try:
            if self._usable and self.path.exists():
                with closing(self._connected()) as connection:
                    for start in range(0, len(keys), _AT_ONCE):
                        some = list(keys)[start : start + _AT_ONCE]
                        marks = ",".join("?" * len(some))
                        values.update(
                            connection.execute(f"SELECT * FROM {self._what} WHERE key IN ({marks})", some)  # nosec B608: an identifier and question marks
                        )
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
        return {keys[key]: value for key, value in values.items()}

    def put(self, values: Mapping[str, bytes]) -> None:
        """Cache the values of these texts."""
        rows = [(_key(text), value) for text, value in values.items()]
        try:
            if self._usable:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with closing(self._connected()) as connection, connection:
                    connection.executemany(f"INSERT OR IGNORE INTO {self._what} VALUES (?, ?)", rows)  # nosec B608: an identifier
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_PATIENCE_SECONDS)
        columns = "key BLOB PRIMARY KEY, value BLOB"
        connection.execute(f"CREATE TABLE IF NOT EXISTS {self._what} ({columns}) WITHOUT ROWID")
        return connection

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        logger.warning("%s: cannot cache %s there (%s); they will be computed again", self.path, self._what, error)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
