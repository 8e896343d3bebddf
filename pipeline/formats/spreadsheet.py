"""Tables that spreadsheets open: cells that they do not compute, CSV of rows, and Whisper's `.tsv`."""

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, TimedTranscript, seconds, transcript_of
from pipeline.system.files import read_text

_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
# The signs that begin a formula, also in the width of East Asian letters.
_SIGNS = frozenset("=+-@＝＋－＠")


def not_computed(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would take it for a formula.

    >>> [not_computed(text) for text in ("=HYPERLINK(1)", "-", "-2.5", "@home", " =1", "well")]
    ["'=HYPERLINK(1)", '-', '-2.5', "'@home", "' =1", 'well']
    """
    return f"'{text}" if _is_formula(text) else text


def table_cell(text: str) -> str:
    """The text as a cell of a table: not computed, without hidden characters, with one kind of line end."""
    return not_computed(without_controls(text).replace("\r\n", "\n").replace("\r", "\n"))


def as_written(cell: str) -> str:
    """The text of a cell, without the apostrophe that `not_computed` puts before a formula.

    >>> [as_written(not_computed(text)) for text in ("=1+1", "'=1+1", "'tis")]
    ['=1+1', "'=1+1", "'tis"]
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute it, or it is what `not_computed` makes of a formula."""
    plain = text.lstrip("'").lstrip()
    return len(plain) > 1 and plain[0] in _SIGNS and not _NUMBER.fullmatch(plain)


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """The rows as CSV. No cell is computed."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([table_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue()


def read_tsv(path: Path) -> TimedTranscript:
    """The segments of Whisper's .tsv: start and end in milliseconds, text; rostrum adds the speaker."""
    lines = without_controls(read_text(path)).split("\n")
    header, *rows = ([cell.strip("\r") for cell in line.split("\t")] for line in lines)
    if header[:3] != ["start", "end", "text"]:
        raise RostrumError(f"{path}: no transcript of Whisper: its first line must be start, end, text, between tabs")
    stretches = []
    for number, cells in enumerate(rows, start=2):
        if len(cells) < 3 and any(cells):
            raise RostrumError(f"{path}:{number}: {len(cells)} cells where there should be start, end and text")
        if len(cells) >= 3:
            start, end = (seconds(cell, path) / 1000 for cell in cells[:2])
            text, speaker = (" ".join(as_written(cell).split()) for cell in (*cells[2:4], "")[:2])
            stretches.append(Stretch(start, max(start, end), speaker or None, text))
    return transcript_of([stretch for stretch in stretches if stretch.text])
