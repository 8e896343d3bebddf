"""What people said of the points of a debate in the report's pages: `corrections/judgements.csv`, a line per answer.

Lines are only added. Of several answers to the same question, the last one counts.
"""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from pipeline.corpus.manifest import MANIFESTS, Problem, Row, read_manifest
from pipeline.errors import RostrumError, StorageError
from pipeline.records import Judgement, Label
from pipeline.system.files import is_inside

NAME = "judgements.csv"
_COLUMNS = [column.name for column in MANIFESTS[NAME]]


def read_judgements(corrections: Path) -> tuple[tuple[Judgement, ...], list[Problem]]:
    """The judgements that count, in the order in which they were given, and the lines that cannot be read."""
    manifest = read_manifest(corrections, NAME)
    if manifest is None:
        return (), []
    read, problems = [], list(manifest.problems)
    for line, row in manifest.rows:
        try:
            read.append(_judgement(row))
        except ValidationError as error:
            wrong = error.errors()[0]["msg"].removeprefix("Value error, ")
            problems.append(Problem(f"{corrections.name}/{NAME}", f"{wrong}; correct or delete the line", line))
    return counting(read), problems


def counting(judgements: Iterable[Judgement]) -> tuple[Judgement, ...]:
    """The judgements that count: the last one of each subject, and none of what was taken back."""
    last: dict[tuple[object, ...], Judgement] = {}
    for each in judgements:
        if each.judgement == "as found":  # of a mention, with all its passages
            taken = [one for one in last if one[:5] == each.subject[:5] and each.subject[5] in (None, one[5])]
            for one in taken:
                del last[one]
        else:
            last.pop(each.subject, None)
            last[each.subject] = each
    return tuple(last.values())


def heard(judgements: Sequence[Judgement]) -> dict[tuple[str, str], Label]:
    """What people said of arguments, as labels, by speech and argument. A wrong passage: it is heard somewhere else."""
    return {
        (each.speech, each.of): Label(speech=each.speech, argument=each.of, mentioned=each.judgement != "not heard")
        for each in judgements
        if each.kind == "mention" and each.judgement != "cannot say" and each.speech
    }


def add_judgement(folder: Path, judgement: Judgement) -> None:
    """Add a line to the judgements of a corpus. What is there stays as it is."""
    path = folder / "corrections" / NAME
    if not is_inside(path, folder):
        raise RostrumError(f"{path}: leads out of the corpus; remove that link")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:  # what is appended in one write is not mixed with what others append
            before = _before(file.seek(0, os.SEEK_END), path)
            file.write(before + _lines([_row(judgement)]))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


def _before(size: int, path: Path) -> bytes:
    """What comes before a new line: the header of a new file, or the end of a line that was cut off by a crash."""
    if not size:
        return _lines([_COLUMNS])
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return b"" if file.read(1) == b"\n" else b"\n"


def _lines(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _row(judgement: Judgement) -> list[object]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    cells = judgement.model_dump() | {"when": now}
    return ["" if cells[column] is None else cells[column] for column in _COLUMNS]


def _judgement(row: Row) -> Judgement:
    return Judgement.model_validate({name: cell for name, cell in row.items() if cell and name != "when"})
