"""Reads and writes the CSV manifests of a corpus. Each problem has its line and column.

A line that begins with '# ' is a comment, before the header and between the rows.
"""

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from pipeline.errors import RostrumError, hint
from pipeline.records import JUDGEMENTS
from pipeline.speakers import Role
from pipeline.system.files import LARGEST_TEXT, is_inside, read_file, read_text, write_file

Row = dict[str, str]
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
LONGEST_ID = 500


@dataclass(frozen=True)
class Column:
    """A column of a manifest. `check` returns what is wrong with a cell, or None."""

    name: str
    meaning: str
    required: bool = False
    check: Callable[[str], str | None] = lambda _: None


def one_of(*values: str) -> Callable[[str], str | None]:
    return lambda cell: None if cell in values else f"must be {' or '.join(values)}, not {cell!r}"


def is_count(cell: str) -> str | None:
    return None if cell.isdecimal() and len(cell) < 10 else f"must be a whole number, not {cell!r}"


def is_number(cell: str) -> str | None:
    try:
        good = math.isfinite(float(cell))
    except ValueError:
        good = False
    return None if good else f"must be a number, not {cell!r}"


def is_seconds(cell: str) -> str | None:
    return is_number(cell) or (None if float(cell) >= 0 else f"must not be negative, as {cell!r} is")


def is_percent(cell: str) -> str | None:
    return is_number(cell) or (None if 0 <= float(cell) <= 100 else f"must be from 0 to 100, not {cell!r}")


def is_id(cell: str) -> str | None:
    """An id may have folders in it, as in `2018/anna`."""
    if len(cell) > LONGEST_ID:
        return f"an id has at most {LONGEST_ID} characters, this one {len(cell)}"
    if "\0" in cell:
        return "an id has no NUL characters"
    return f"an id cannot be a path such as {cell!r}" if {"", ".", ".."} & set(cell.split("/")) else None


MANIFESTS: dict[str, tuple[Column, ...]] = {
    "motions.csv": (
        Column("id", "the motion's id", required=True, check=is_id),
        Column("text", "what is debated: 'We should ...'", required=True),
    ),
    "speeches.csv": (
        Column("id", "the speech's id", required=True, check=is_id),
        Column("file", "the audio file, inside the folder; empty where only a transcript is given"),
        Column("motion", "id of the motion it speaks on"),
        Column("stance", "pro or con", check=one_of("pro", "con")),
        Column("speaker", "who speaks; several names are separated by ';'"),
        Column("answers", "id of the speech it was recorded in answer to"),
        Column("response", "explicit or implicit: how it answers", check=one_of("explicit", "implicit")),
        Column("score", "how good people found it, a number", check=is_number),
        Column("reference", "what was said, word for word: .txt, .trs, .docx, .srt, .vtt, .eaf, .TextGrid, .json ..."),
        Column("transcript", "another recogniser's words with times: .asr, .ctm, .srt, .vtt, .eaf, .TextGrid, .json"),
        Column("turns", "who spoke when: .rttm, .srt, .vtt, .eaf, .TextGrid or .json"),
    ),
    "speakers.csv": (
        Column("recording", "id of the recording, as in speeches.csv", required=True),
        Column("voice", "label of the voice, as the run or the turns name it; empty: the voice heard at 'from'"),
        Column("name", "who it is"),
        Column("role", "debater, moderator, questioner or audience", check=one_of(*get_args(Role))),
        Column("side", "pro or con, for debaters", check=one_of("pro", "con")),
        Column("motion", "id of the motion, if it is another one than the recording's"),
        Column("from", "when the person is heard first, in seconds; on this motion, if one is given", check=is_seconds),
        Column("to", "when the person is heard last, in seconds; on this motion, if one is given", check=is_seconds),
        Column("answers", "names of those whom this person answers, separated by ';'"),
        Column("response", "explicit or implicit: how", check=one_of("explicit", "implicit")),
    ),
    "arguments.csv": (
        Column("id", "the argument's id", required=True, check=is_id),
        Column("motion", "id of its motion", required=True),
        Column("stance", "pro or con", required=True, check=one_of("pro", "con")),
        Column("title", "the claim in one sentence", required=True),
        Column("text", "the argument in a few sentences"),
        Column("counter", "id of the argument that rebuts it"),
        Column("rebuttal", "a text that rebuts it, where no known argument does"),
    ),
    "references.csv": (
        Column("motion", "id of the motion", required=True),
        Column("text", "what a good speech on it says", required=True),
        Column("stance", "pro or con; empty for both sides", check=one_of("pro", "con")),
    ),
    "votes.csv": (
        Column("motion", "id of the motion", required=True),
        Column("for_before", "votes for it before the debate, in per cent", required=True, check=is_percent),
        Column("against_before", "votes against it before the debate, in per cent", required=True, check=is_percent),
        Column("for_after", "votes for it after the debate, in per cent", required=True, check=is_percent),
        Column("against_after", "votes against it after the debate, in per cent", required=True, check=is_percent),
    ),
    "labels.csv": (
        Column("speech", "id of a speech", required=True),
        Column("argument", "id of an argument", required=True),
        Column("mentioned", "1 or 0: whether the speech makes the argument", required=True, check=one_of("0", "1")),
        Column("how", "explicit or implicit", check=one_of("explicit", "implicit")),
        Column("votes_yes", "how many people said yes", check=is_count),
        Column("votes_no", "how many people said no", check=is_count),
    ),
    # Written by the report's pages, in the folder `corrections`.
    "judgements.csv": (
        Column("when", "when a person said it"),
        Column("motion", "id of the motion", required=True),
        Column("kind", "what is judged", required=True, check=one_of(*JUDGEMENTS)),
        Column("of", "id of the argument, or text of the point"),
        Column("speech", "id of the speech"),
        Column("judgement", "what the person says", required=True),
        Column("side", "pro or con, of a point", check=one_of("pro", "con")),
        Column("start", "first second of the passage", check=is_seconds),
        Column("end", "last second of the passage", check=is_seconds),
        Column("text", "the passage, or the new text of a point"),
    ),
}


@dataclass(frozen=True)
class Problem:
    """A mistake in a corpus: which file, the line and column, what is wrong, what mends it. One line."""

    file: str
    message: str
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        location = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return " ".join(f"{location}: {self.message}".split())


@dataclass(frozen=True)
class Manifest:
    """The valid rows of a manifest, each with its line number, and the problems of the others."""

    name: str
    rows: tuple[tuple[int, Row], ...] = ()
    problems: list[Problem] = field(default_factory=list)


# A column, and which of its values are wanted.
Wanted = tuple[str, Callable[[str], bool]]


def read_manifest(folder: Path, name: str, wanted: Wanted | None = None) -> Manifest | None:
    """The manifest of that name, or None where the folder has none.

    With `wanted`, only the rows with such a value in a column; the others are not checked.
    """
    path = folder / name
    if not os.path.lexists(path):
        return None
    if not is_inside(path, folder):
        raise RostrumError(f"{path}: a link that leads out of the folder or in a circle; put the file itself there")
    table = _Table(path)
    problems: list[Problem] = []
    line, header = next(table, (1, []))
    _check_header(f"{name}:{line}", name, header)
    rows = tuple(_good_rows(name, header, _only(table, header, wanted) if wanted else table, problems))
    return Manifest(name, rows, problems)


def write_manifest(path: Path, rows: Iterable[Mapping[str, object]], comments: Sequence[str] = ()) -> None:
    """Write a new manifest with all columns of its name. If the file exists already, that is an error."""
    columns = [column.name for column in MANIFESTS[path.name]]
    text = io.StringIO(newline="")
    text.writelines(f"# {comment}".rstrip() + "\n" for comment in comments)
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_file(path, text.getvalue().encode(), replace=False)


def add_rows(folder: Path, name: str, rows: Sequence[Mapping[str, object]]) -> Path:
    """Add rows at the end of a manifest, or write it if there is none. Its lines stay as they are."""
    path = folder / name
    if not os.path.lexists(path):
        write_manifest(path, rows)
        return path
    read_manifest(folder, name)  # an error for what is no manifest
    content = read_file(path, LARGEST_TEXT)
    _, header = next(_Table(path), (1, []))
    for column in {column for row in rows for column, cell in row.items() if cell not in ("", None)} - set(header):
        raise RostrumError(f"{path}: has no column {column!r}, which is to be filled in; add it to the first line")
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writerows(rows)
    before = "" if read_text(path, may_have_nul=True).endswith("\n") else "\n"
    encoding = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(content[:2], "utf-8")
    write_file(path, content + (before + text.getvalue()).encode(encoding), replace=True)
    return path


class _Table:
    """The rows of a CSV file, each with the number of its first line. Comments and empty lines are left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self._between_rows = True
        # As io.StringIO does it, which takes four bytes for each character.
        self._lines = (found[0] for found in _LINE.finditer(read_text(path, may_have_nul=True)))
        self._reader = csv.reader(self._without_comments(), strict=True)

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        return self

    def __next__(self) -> tuple[int, list[str]]:
        while True:
            self._between_rows = True
            try:
                cells = next(self._reader)
            except csv.Error as error:
                raise RostrumError(f"{self.path}:{self.line}: not valid CSV: {error}") from error
            # A spreadsheet saves a comment as the first cell of a row.
            if cells and not _is_comment(cells[0]):
                return self._first_line, cells

    def _without_comments(self) -> Iterator[str]:
        """The lines without comments. A line inside of a quoted cell is never a comment."""
        for text in self._lines:
            self.line += 1
            if self._between_rows:
                if _is_comment(text):
                    continue
                self._first_line, self._between_rows = self.line, False
            yield text


def _is_comment(text: str) -> bool:
    return text.startswith("# ") or text.strip() == "#"


def _check_header(location: str, name: str, header: list[str]) -> None:
    known = [column.name for column in MANIFESTS[name]]
    for cell in header:
        if cell not in known:
            meant = hint(cell, known, f"the columns are {', '.join(known)}")
            raise RostrumError(f"{location}: unknown column {cell!r}; {meant}")
    if len(set(header)) < len(header):
        raise RostrumError(f"{location}: a column occurs twice; remove one of them")
    missing = [column.name for column in MANIFESTS[name] if column.required and column.name not in header]
    if missing:
        raise RostrumError(f"{location}: no column {missing[0]!r}; the first line names the columns")


def _only(table: Iterable[tuple[int, list[str]]], header: list[str], wanted: Wanted) -> Iterator[tuple[int, list[str]]]:
    """The rows with a wanted value, and those that are too short for one."""
    name, is_wanted = wanted
    place = header.index(name) if name in header else len(header)
    for line, cells in table:
        if len(cells) != len(header) or (place < len(cells) and is_wanted(cells[place].strip())):
            yield line, cells


def _good_rows(
    name: str, header: list[str], table: Iterable[tuple[int, list[str]]], problems: list[Problem]
) -> Iterator[tuple[int, Row]]:
    for line, cells in table:
        if len(cells) != len(header):
            problems.append(Problem(name, f"{len(cells)} cells where the header has {len(header)}", line))
            continue
        row = {column: cell.strip() for column, cell in zip(header, cells, strict=True)}
        wrong = [
            Problem(name, what, line, column.name)
            for column in MANIFESTS[name]
            if (what := _wrong_with(column, row.get(column.name, "")))
        ]
        problems.extend(wrong)
        if not wrong:
            yield line, row


def _wrong_with(column: Column, cell: str) -> str | None:
    if not cell:
        return "must not be empty" if column.required else None
    return column.check(cell)
