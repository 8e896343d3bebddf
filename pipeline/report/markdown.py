"""Markdown that shows any text as plain text, and parts that several pages show."""

import html
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from pipeline.errors import printable
from pipeline.records import Record
from pipeline.report.formatting import NOTHING

# What Markdown takes for a mark inside of a line, and parts of addresses that it would turn into links. (An underscore
# between letters is not a mark.)
_MARKS = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])|(?<=:)/(?=/)|(?<=www)\.|(?<=\w)@(?=\w)", re.IGNORECASE)
# What Markdown takes for the beginning of a heading or a list.
_BLOCK = re.compile(r"^(\d*)([#+=-]+|[.)])(?=\s|$)")

_COMMAND = re.compile("(`[^`]+`)")


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table. Header and cells are escaped."""
    lines = [_row(header), "|" + " --- |" * len(header), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(escaped(value) for value in cells) + " |"


def escaped(value: Any) -> str:
    """A value as plain text on one line, without links, images, HTML, cells or other marks.

    >>> escaped("[x](javascript:y)"), escaped("schools_pro_anna"), escaped(None)
    ('\\\\[x\\\\](javascript:y)', 'schools_pro_anna', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:z.2f}"
    return _line([_unmarked(" ".join(str(value).split()))])


def with_commands(text: str) -> str:
    """The same as `escaped`, but text between backticks, such as a command, becomes code.

    >>> with_commands("*no* model; run `rostrum models fetch [x]`")
    '\\\\*no\\\\* model; run `rostrum models fetch [x]`'
    """
    parts = _COMMAND.split(" ".join(text.split()))
    return _line([printable(part) if number % 2 else _unmarked(part) for number, part in enumerate(parts)])


def _unmarked(text: str) -> str:
    return html.escape(_MARKS.sub(r"\\\g<0>", printable(text)), quote=False)


def _line(parts: list[str]) -> str:
    """A line that is neither a heading nor an item of a list."""
    return _BLOCK.sub(r"\1\\\2", "".join(parts))


def bullets(lines: Iterable[str]) -> str:
    """The lines as a list."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def page(stage: str, record: Record) -> str:
    """The stage's record as Markdown."""
    text: str = _room(stage).page(record)
    return text


def headline(stage: str, record: Record) -> str:
    """The stage's record in a few words of plain text."""
    text: str = _room(stage).headline(record)
    return text.replace("\xa0", " ")


def _room(stage: str) -> Any:
    return import_module(f"pipeline.{stage}.show")
