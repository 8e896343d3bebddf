"""Rows of the CSV files of data sets."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.errors import RostrumError


def read_rows(file: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) of a CSV file that has these columns; an optional column that it lacks is empty."""
    if not file.exists():
        raise RostrumError(f"{file}: no such file")
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle, strict=True)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise RostrumError(f"{file}:1: no column {missing[0]!r}; the header must have {', '.join(columns)}")
            for row in reader:
                if any(row[name] is None for name in columns):
                    raise RostrumError(f"{file}:{reader.line_num}: too few columns")
                yield reader.line_num, {name: (row.get(name) or "").strip() for name in (*columns, *optional)}
    except UnicodeDecodeError as error:
        raise RostrumError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except csv.Error as error:
        raise RostrumError(f"{file}:{reader.line_num}: not CSV: {error}") from error
