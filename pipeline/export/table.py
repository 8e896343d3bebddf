"""The type of a table: its columns with their meanings, and the function that yields its rows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pipeline.records import Record, Speech
from pipeline.run.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd


Kind = Literal["string", "Int64", "Float64", "boolean"]
Rows = Callable[[FinishedRun], Iterator[tuple[Any, ...]]]
R = TypeVar("R", bound=Record)
T = TypeVar("T")


@dataclass(frozen=True)
class Column:
    """A column, its pandas type, and its meaning."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True)
class Table:
    """A table of a run. `rows` yields a tuple for each row, in the order of the columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Rows


def text(name: str, meaning: str) -> Column:
    return Column(name, "string", meaning)


def integer(name: str, meaning: str) -> Column:
    return Column(name, "Int64", meaning)


def number(name: str, meaning: str) -> Column:
    return Column(name, "Float64", meaning)


def flag(name: str, meaning: str) -> Column:
    return Column(name, "boolean", meaning)


def frame(table: Table, run: FinishedRun) -> "pd.DataFrame":
    """The table as a frame. A column has its type even if there are no rows."""
    import pandas as pd

    rows = list(table.rows(run))
    columns = zip(*rows, strict=True) if rows else [()] * len(table.columns)
    return pd.DataFrame(
        {
            column.name: pd.array(list(values), dtype=column.kind)
            for column, values in zip(table.columns, columns, strict=True)
        }
    )


def each_of_recording(run: FinishedRun, kind: type[R], parts: Callable[[R], Iterable[T]]) -> Iterator[tuple[str, T]]:
    """(recording, part) for each part of every recording's record of this kind."""
    for recording in run.recordings:
        if record := run.of_speech(kind, recording.id):
            yield from ((recording.id, part) for part in parts(record))


def each_of_speech(run: FinishedRun, kind: type[R], parts: Callable[[R], Iterable[T]]) -> Iterator[tuple[Speech, T]]:
    """(speech, part) for each part of every speech's record of this kind."""
    for speech in run.speeches:
        if record := run.of_speech(kind, speech.id):
            yield from ((speech, part) for part in parts(record))


def recording_of(run: FinishedRun, speech: str) -> str:
    """The id of the recording that a speech is in, also if who speaks in it cannot be read."""
    known = run.subject(speech)
    return known.recording or speech if known else speech.rpartition("/")[0] or speech


def speaker_of(run: FinishedRun, speech: str) -> str | None:
    """Who speaks in a speech, separated by '; '; None if it is not known."""
    known = run.subject(speech)
    return "; ".join(known.speakers) or None if known else None


# Whose the rows are, in tables of what is argued: the columns, and their values.
WHO = (
    text("speech", "id of the speech"),
    text("speaker", "who speaks, if it is known"),
    text("recording", "id of the recording"),
)


def who(speech: Speech) -> tuple[str, str | None, str]:
    """Whose a row is: the values of the columns `WHO`."""
    return speech.id, "; ".join(speech.speakers) or None, speech.recording or speech.id


def each_of_motion(run: FinishedRun, kind: type[R], parts: Callable[[R], Iterable[T]]) -> Iterator[tuple[str, T]]:
    """(motion, part) for each part of every motion's record of this kind."""
    for motion in run.motions:
        if record := run.of_motion(kind, motion.id):
            yield from ((motion.id, part) for part in parts(record))
