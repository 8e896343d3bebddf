"""A study: its items, its workers, who gets what. It is a folder that is written once and then only added to.

| file | what it has |
|---|---|
| `study.json` | the task, the items, the sheets of the workers |
| `links.csv` | the secret of each worker's link; names may be filled in, and are in no export |
| `guidelines.md`, `consent.md` | what workers read first; to be edited |
| `media/` | the recordings, under names that tell nothing |
| `answers/` | one file per worker, to which answers are added |
"""

import csv
import io
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pipeline.errors import RostrumError, printable
from pipeline.studies.items import Answers, Item
from pipeline.system.files import not_there, read_file, read_text, write_file

FILE, LINKS, GUIDELINES, CONSENT = "study.json", "links.csv", "guidelines.md", "consent.md"
MEDIA, ANSWERS = "media", "answers"
ORGANISER = "organiser"


class Sheet(BaseModel):
    """What one worker is asked, in this order. The first `training` items come with feedback."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    worker: str
    items: tuple[str, ...]
    training: int = 0


class Study(BaseModel):
    """A study as it was made. `tests` are the items with known answers that everybody gets. `limit` is in seconds.

    `levels` names the labels' values from the lowest to the highest, if the task has an order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    title: str
    source: str
    seed: int
    answers_per_item: int
    items: tuple[Item, ...]
    sheets: tuple[Sheet, ...]
    tests: tuple[str, ...] = ()
    training: tuple[str, ...] = ()
    limit: float | None = None
    rostrum: str = ""

    @cached_property
    def by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    @cached_property
    def labelled(self) -> tuple[Item, ...]:
        """The items whose labels are wanted: those that are neither for training nor a test."""
        others = {*self.tests, *self.training}
        return tuple(item for item in self.items if item.id not in others)

    @cached_property
    def sheet_of(self) -> dict[str, Sheet]:
        return {sheet.worker: sheet for sheet in self.sheets}


@dataclass(frozen=True)
class StudyFolder:
    """A study on disk. `tokens` has the secret of each link, by worker, and that of the organiser."""

    path: Path
    study: Study
    tokens: Mapping[str, str]

    @property
    def guidelines(self) -> str:
        return read_text(self.path / GUIDELINES)

    @property
    def consent(self) -> str:
        """The text that workers agree to; empty if nobody is asked."""
        path = self.path / CONSENT
        return read_text(path).strip() if path.exists() else ""

    @cached_property
    def names(self) -> dict[str, str]:
        """The names that the organiser filled in, by worker."""
        rows = csv.DictReader(io.StringIO(read_text(self.path / LINKS)))
        return {str(row["worker"]): str(row.get("name") or "") for row in rows}

    @cached_property
    def workers(self) -> dict[str, str]:
        """The worker of each secret."""
        return {token: worker for worker, token in self.tokens.items() if worker != ORGANISER}


def open_study(path: Path) -> StudyFolder:
    """The study in a folder."""
    if not path.is_dir():
        raise not_there(path)
    if not (path / FILE).is_file():
        raise RostrumError(f"{path}: no study; `rostrum annotate make` makes one")
    try:
        study = Study.model_validate_json(read_text(path / FILE))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise RostrumError(f"{path / FILE}: {where}: {first['msg']}; put back the file as it was made") from error
    return StudyFolder(path, study, _read_links(path / LINKS, study))


def write_study(path: Path, study: Study, guidelines: str, consent: str) -> StudyFolder:
    """Write a new study. Its recordings are in the folder already. `study.json` comes last, and makes it a study."""
    tokens = {worker: secrets.token_urlsafe(9) for worker in (ORGANISER, *(sheet.worker for sheet in study.sheets))}
    (path / ANSWERS).mkdir(parents=True, exist_ok=True)
    write_file(path / GUIDELINES, guidelines.encode(), replace=False)
    if consent:
        write_file(path / CONSENT, consent.encode(), replace=False)
    rows = [("worker", "token", "name"), *((worker, token, "") for worker, token in tokens.items())]
    _write_private(path / LINKS, rows)
    write_file(path / FILE, study.model_dump_json(indent=1, exclude_defaults=True).encode(), replace=False)
    return StudyFolder(path, study, tokens)


def refuse_used_folder(path: Path) -> None:
    """Raise an error if there is anything in the folder: a study is never written over."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        what = "a study is there already, perhaps with answers" if (path / FILE).exists() else "not an empty folder"
        raise RostrumError(f"{path}: {what}; name another folder with --out")


def _write_private(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Write a CSV file that only this user can read: whoever has a link can answer in the worker's name."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        file.write(text.getvalue().encode())


def _read_links(path: Path, study: Study) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(read_text(path)))
    tokens = {str(row.get("worker")): str(row.get("token") or "") for row in rows}
    wanted = [ORGANISER, *study.sheet_of]
    if missing := [worker for worker in wanted if not tokens.get(worker)]:
        raise RostrumError(f"{path}: no token of {missing[0]}; every worker has a row with worker and token")
    known = {worker: tokens[worker] for worker in wanted}
    if len(set(known.values())) < len(known):
        raise RostrumError(f"{path}: two workers have the same token; each needs one of their own")
    return known


# The answers of workers: files to which lines are added, and nothing else.
#
# An answer is on disk before it is confirmed. A worker who changes an answer adds a line; the last one counts, and the
# others stay. A line that a crash has cut off is skipped by readers, and the next line begins on its own.

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
