"""The answers of workers: files to which lines are added, and nothing else.

An answer is on disk before it is confirmed. A worker who changes an answer adds a line; the last one counts, and the
others stay. A line that a crash has cut off is skipped by readers, and the next line begins on its own.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pipeline.errors import RostrumError, printable
from pipeline.studies.items import Answers
from pipeline.studies.study import ANSWERS, StudyFolder
from pipeline.system.files import read_file

_LARGEST = 200_000_000
Moment = Annotated[float, Field(ge=0)]


class Given(BaseModel):
    """One worker's answers to one item. `number` identifies them, so that answers sent twice count once.

    `seconds` is the time from when the item was opened to the answers. `late` says that the time limit was over; there
    may be no answers then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    worker: str
    item: str
    number: str = Field(max_length=100)
    answers: Answers
    seconds: Moment
    at: Moment
    late: bool = False
    source: str = ""


class Event(BaseModel):
    """A worker agrees to the consent text, or opens an item for the first time."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    worker: str
    event: Literal["agreed", "opened"]
    item: str = ""
    at: Moment


_LINE: TypeAdapter[Given | Event] = TypeAdapter(Given | Event)


@dataclass(frozen=True)
class Journal:
    """What is in a worker's file. `wrong` says what is wrong with each line that is neither."""

    given: tuple[Given, ...] = ()
    events: tuple[Event, ...] = ()
    wrong: tuple[str, ...] = ()


def append(path: Path, line: str) -> None:
    """Add a line to a file, and return once the disk has it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        before = b"\n" if os.fstat(handle).st_size and not _ends_well(path) else b""
        content = before + line.encode() + b"\n"
        while content:
            content = content[os.write(handle, content) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _ends_well(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def journal(folder: StudyFolder, worker: str) -> Path:
    """The file of a worker's answers."""
    return folder.path / ANSWERS / f"{worker}.jsonl"


def read_journal(path: Path) -> Journal:
    """The lines of a worker's file. A file that is not there is empty."""
    try:
        lines = read_file(path, _LARGEST).split(b"\n")
    except FileNotFoundError:
        return Journal()
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    read: list[Given | Event] = []
    wrong = []
    for number, line in enumerate(lines, 1):
        try:
            read += [_LINE.validate_json(line)] if line.strip() else []
        except ValidationError:
            wrong.append(
                printable(f"{path}:{number}: not an answer; perhaps cut off by a crash, before it was confirmed")
            )
    given = tuple(one for one in read if isinstance(one, Given))
    return Journal(given, tuple(one for one in read if isinstance(one, Event)), tuple(wrong))


def all_given(folder: StudyFolder) -> Iterator[Given]:
    """Every line of every worker of the study, in the order in which a worker wrote them."""
    for sheet in folder.study.sheets:
        yield from read_journal(journal(folder, sheet.worker)).given


def last_given(given: Sequence[Given]) -> list[Given]:
    """The last answers of each worker to each item, in the order of the first ones."""
    last: dict[tuple[str, str], Given] = {}
    for one in given:
        last[one.worker, one.item] = one
    return list(last.values())
