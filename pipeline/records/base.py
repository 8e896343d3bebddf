"""The base of all records: a digest of the content, and attachments for arrays."""

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

Seconds = Annotated[float, Field(ge=0)]


class Record(BaseModel):
    """The base of everything a stage takes or makes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def digest(self) -> str:
        """sha256 of the record's content: equal content, equal digest, on any machine."""
        return _digest(self.model_dump_json())

    def figures(self) -> dict[str, float]:
        """The numbers of this record that the table of a run shows, by name."""
        return {}

    def used(self, model: str) -> bool:
        """Whether the model of that name made this record. A stage names all models that it may use."""
        return True

    def of_speaker(self, key: str) -> Self | None:
        """The part of this record that is about one person of a recording; all of it if it has no such parts."""
        return self

    def attachments(self) -> Iterator["Attachment"]:
        """The files that belong to this record."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, Attachment):
                yield value

    def discard(self) -> None:
        """Delete the temporary files of the attachments."""
        for attachment in self.attachments():
            attachment.discard()


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


class Attachment(Record):
    """A file beside an artifact. Its name contains the digest of its content."""

    suffix: Annotated[str, Field(pattern=r"^(\.[a-z0-9]{1,10})?$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    _path: Path | None = PrivateAttr(default=None)
    _temporary: bool = PrivateAttr(default=False)

    @classmethod
    def of(cls, path: Path, *, temporary: bool = False) -> "Attachment":
        """A file as an attachment. A temporary file is removed as soon as it is stored."""
        attachment = cls(suffix=path.suffix, sha256=file_digest(path))
        attachment._path = path
        attachment._temporary = temporary
        return attachment

    @property
    def path(self) -> Path:
        """Path of the file on this machine."""
        if self._path is None:
            raise ValueError("this attachment was read without its store; read the record with Store.record")
        return self._path

    def located(self, path: Path) -> None:
        """Set the path at which the store keeps the file."""
        self.discard()
        self._path, self._temporary = path, False

    def discard(self) -> None:
        """Remove the file if it is temporary."""
        if self._temporary and self._path is not None:
            self._path.unlink(missing_ok=True)


def file_digest(path: Path) -> str:
    """sha256 of a file. It is read again only if its size or time has changed."""
    state = path.stat()
    return _file_digest(path, state.st_size, state.st_mtime_ns)


@functools.lru_cache(maxsize=100_000)
def _file_digest(path: Path, _size: int, _mtime: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Spans of time, and how two of them relate.


class Timed:
    """Anything with a start and an end in seconds: words, turns, sentences, passages.

    >>> word, turn = TimeSpan(start=1.5, end=2.0), TimeSpan(start=1.0, end=1.75)
    >>> word.overlap(turn), word.gap(turn), word & turn
    (0.25, 0.0, TimeSpan(start=1.5, end=1.75))
    >>> 1.2 in turn, word in turn
    (True, False)
    """

    if TYPE_CHECKING:  # the records that are timed have these fields
        start: Seconds
        end: Seconds

    @property
    def duration(self) -> float:
        """Seconds from start to end; 0 if the end comes first."""
        return max(0.0, self.end - self.start)

    @property
    def middle(self) -> float:
        """The time half way between start and end."""
        return (self.start + self.end) / 2

    def __contains__(self, other: "float | Timed") -> bool:
        """Whether a time, or all of another span, is in this span. Its ends belong to it."""
        first, last = (other.start, other.end) if isinstance(other, Timed) else (other, other)
        return self.start <= first and last <= self.end

    def overlap(self, other: "Timed") -> float:
        """How many seconds the two have in common."""
        return max(0.0, min(self.end, other.end) - max(self.start, other.start))

    def gap(self, other: "Timed") -> float:
        """How many seconds are between the two."""
        return max(0.0, self.start - other.end, other.start - self.end)

    def __and__(self, other: "Timed") -> "TimeSpan | None":
        """The span that the two have in common, or None."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return TimeSpan(start=start, end=end) if start < end else None


class TimeSpan(Timed, Record):
    """A span of time from start to end, in seconds."""

    start: Seconds
    end: Seconds
