"""What records are, and what several stages share: turns, words, sentences, passages, counts of errors."""

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from pipeline.system.files import sha256_of

Seconds = Annotated[float, Field(ge=0)]


class Record(BaseModel):
    """The base of everything a stage takes or makes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def digest(self) -> str:
        """sha256 of the record's content: equal content, equal digest, on any machine."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

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

    def set_path(self, path: Path) -> None:
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
    return sha256_of(path)


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


# Before what a model translated, wherever it is shown.
TRANSLATED = "[translated]"
# Stands for a sentence that the translation leaves out.
UNTRANSLATED = "…"


class Sentence(Timed, Record):
    """A sentence and the words it is made of: transcript words `first` up to, not including, `last`.

    `translation` is what a model says of it in English, None if nothing was translated.
    """

    text: str
    start: Seconds
    end: Seconds
    first: int
    last: int
    speaker: str | None = None
    translation: str | None = None

    @property
    def translation_line(self) -> str:
        """The translation as it is shown beside the sentence; empty if there is none."""
        return f"{TRANSLATED} {self.translation}" if self.translation else ""

    @property
    def is_translated(self) -> bool:
        """Whether the text is its translation, as the stages of arguments read it."""
        return self.translation is not None and self.text in (self.translation, UNTRANSLATED)


SAMPLE_RATE = 16_000
Count = Annotated[int, Field(ge=0)]


class Turn(Timed, Record):
    """Somebody speaks from start to end. `speaker` is None if it is not known who."""

    start: Seconds
    end: Seconds
    speaker: str | None = None


class Word(Timed, Record):
    """One word as the recogniser wrote it, with its time."""

    text: str
    start: Seconds
    end: Seconds
    probability: float | None = None
    speaker: str | None = None


class ErrorCounts(Record):
    """Errors of a recogniser. The rate of several speeches is that of the sum of their counts, not the mean of rates.

    >>> total = ErrorCounts(hits=8, deletions=2) + ErrorCounts(hits=10, insertions=1)
    >>> total.errors, total.length, total.rate
    (3, 20, 0.15)
    """

    hits: Count = 0
    substitutions: Count = 0
    deletions: Count = 0
    insertions: Count = 0

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def length(self) -> int:
        """Words (or characters) of the reference."""
        return self.hits + self.substitutions + self.deletions

    @property
    def rate(self) -> float | None:
        """The error rate; None if the reference is empty."""
        return self.errors / self.length if self.length else None

    def __add__(self, other: "ErrorCounts") -> "ErrorCounts":
        return ErrorCounts(
            hits=self.hits + other.hits,
            substitutions=self.substitutions + other.substitutions,
            deletions=self.deletions + other.deletions,
            insertions=self.insertions + other.insertions,
        )


# Records that are parts of the records of several stages.


class Passage(Timed, Record):
    """What somebody said, and when. `translated` says that the text is a model's translation of it into English."""

    text: str
    start: Seconds
    end: Seconds
    translated: bool = False

    @property
    def quoted(self) -> str:
        """The text as it is shown to people, with a mark if it was translated."""
        return f"{TRANSLATED} {self.text}" if self.translated else self.text

    @classmethod
    def of(cls, *sentences: Sentence) -> "Passage":
        """These sentences, one after the other, as one passage."""
        return cls(
            text=" ".join(each.text for each in sentences),
            start=sentences[0].start,
            end=max(each.end for each in sentences),
            translated=any(each.is_translated for each in sentences),
        )


class LlmUse(Record):
    """The use of a large language model for a record: the number of its answers, and their tokens.

    Cached answers count, too. `cost` is by the prices in the settings, None without any.
    """

    model: str
    answers: int
    sent_tokens: int
    answered_tokens: int
    cost: float | None

    def report_line(self) -> str:
        """The use in one line, for a person."""
        cost = "" if self.cost is None else f", cost {self.cost:g}"
        answers = "1 answer" if self.answers == 1 else f"{self.answers} answers"
        return f"{self.model}: {answers}, {self.sent_tokens} + {self.answered_tokens} tokens{cost}"
