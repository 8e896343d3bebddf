"""Bytes on disk by the digests of texts, so that what was computed of a text is not computed twice on a machine."""

import hashlib
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

_LOG = logging.getLogger(__name__)
_AT_ONCE = 500  # below SQLite's limit of variables in a statement
_PATIENCE_SECONDS = 30.0


class DigestCache:
    """One SQLite file that processes may share. It holds the digests of the texts, never a text itself.

    It may be deleted at any time. Where it cannot be read or written, what it is for is computed again, and the log
    says so. `what` is the word for that in the log, and the name of the file's table.
    """

    def __init__(self, path: Path, what: str) -> None:
        assert what.isidentifier()
        self.path = path
        self._what = what
        self._usable = True

    def get(self, texts: Sequence[str]) -> dict[str, bytes]:
        """What is kept for those of the texts that are known."""
        keys = {_key(text): text for text in texts}
        found: dict[bytes, bytes] = {}
        try:
            if self._usable and self.path.exists():
                with closing(self._connected()) as connection:
                    for start in range(0, len(keys), _AT_ONCE):
                        some = list(keys)[start : start + _AT_ONCE]
                        marks = ",".join("?" * len(some))
                        found.update(
                            connection.execute(f"SELECT * FROM {self._what} WHERE key IN ({marks})", some)  # nosec B608: an identifier and question marks
                        )
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
        return {keys[key]: value for key, value in found.items()}

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep what was computed of these texts for the next time."""
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
        _LOG.warning("%s: %s are not kept there (%s); they will be asked for again", self.path, self._what, error)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
