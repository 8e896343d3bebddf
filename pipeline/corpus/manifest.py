"""The CSV manifests of a corpus, read with the line and column of everything that is wrong with them."""

import csv
import difflib
import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import RostrumError
from pipeline.files import read_text

if TYPE_CHECKING:
    import _csv

Row = dict[str, str]


@dataclass(frozen=True)
class Column:
    """A column of a manifest; `check` returns what is wrong with a cell, or nothing."""

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


MANIFESTS: dict[str, tuple[Column, ...]] = {
    "motions.csv": (
        Column("id", "the motion's id", required=True),
        Column("text", "what is debated: 'We should ...'", required=True),
    ),
    "speeches.csv": (
        Column("id", "the speech's id", required=True),
        Column("file", "the audio file, inside the folder; empty where only a transcript is given"),
        Column("motion", "id of the motion it speaks on"),
        Column("stance", "pro or con", check=one_of("pro", "con")),
        Column("speaker", "who speaks; several names are separated by ';'"),
        Column("answers", "id of the speech it was recorded in answer to"),
        Column("response", "explicit or implicit: how it answers", check=one_of("explicit", "implicit")),
        Column("score", "how good people found it, a number", check=is_number),
        Column("reference", "what was said, word for word: .txt or .trs, inside the folder"),
        Column("transcript", "another recogniser's words with times: .asr or .ctm, inside the folder"),
        Column("turns", "who spoke when: .rttm, inside the folder"),
    ),
    "arguments.csv": (
        Column("id", "the argument's id", required=True),
        Column("motion", "id of its motion", required=True),
        Column("stance", "pro or con", required=True, check=one_of("pro", "con")),
        Column("title", "the claim in one sentence", required=True),
        Column("text", "the argument in a few sentences"),
        Column("counter", "id of the argument that rebuts it"),
    ),
    "references.csv": (
        Column("motion", "id of the motion", required=True),
        Column("text", "what a good speech on it says", required=True),
        Column("stance", "pro or con; empty where it goes for both sides", check=one_of("pro", "con")),
    ),
    "labels.csv": (
        Column("speech", "id of a speech", required=True),
        Column("argument", "id of an argument", required=True),
        Column("mentioned", "1 or 0: whether the speech makes the argument", required=True, check=one_of("0", "1")),
        Column("how", "explicit or implicit", check=one_of("explicit", "implicit")),
        Column("votes_yes", "how many people said yes", check=is_count),
        Column("votes_no", "how many people said no", check=is_count),
    ),
}


@dataclass(frozen=True)
class Problem:
    """Something wrong with a corpus: which file, where in it, what, and what mends it. One line."""

    file: str
    message: str
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return " ".join(f"{place}: {self.message}".split())


@dataclass(frozen=True)
class Manifest:
    """A manifest's good rows, each with its line number, and what is wrong with the others."""

    name: str
    rows: tuple[tuple[int, Row], ...] = ()
    problems: list[Problem] = field(default_factory=list)


def read_manifest(folder: Path, name: str) -> Manifest | None:
    """The manifest of that name, or None where the folder has none."""
    path = folder / name
    if not path.exists():
        return None
    manifest = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    problems: list[Problem] = []
    try:
        header = next(manifest, [])
        _check_header(name, header)
        rows = tuple(_good_rows(name, header, manifest, problems))
    except csv.Error as error:
        raise RostrumError(f"{path}:{manifest.line_num}: not valid CSV: {error}") from error
    return Manifest(name, rows, problems)


def _check_header(name: str, header: list[str]) -> None:
    known = [column.name for column in MANIFESTS[name]]
    for cell in header:
        if cell not in known:
            near = difflib.get_close_matches(cell, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the columns are {', '.join(known)}"
            raise RostrumError(f"{name}:1: unknown column {cell!r}; {hint}")
    if len(set(header)) < len(header):
        raise RostrumError(f"{name}:1: a column stands there twice")
    missing = [column.name for column in MANIFESTS[name] if column.required and column.name not in header]
    if missing:
        raise RostrumError(f"{name}:1: no column {missing[0]!r}; the first line names the columns")


def _good_rows(
    name: str, header: list[str], lines: "_csv.Reader", problems: list[Problem]
) -> Iterator[tuple[int, Row]]:
    end = 1
    for cells in lines:
        line, end = end + 1, lines.line_num
        if not cells:
            continue
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
