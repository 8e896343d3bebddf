"""What a person wants to see of a stage's record, in Markdown: shown by `rostrum show` and in the Prefect UI.

Each stage has a module here of its own name with one function, `page(record) -> str`.
"""

import html
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from pipeline.records import Record


def page(stage: str, record: Record) -> str:
    """The stage's record as Markdown."""
    text: str = import_module(f"pipeline.output.markdown.{stage}").page(record)
    return text


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; cells are escaped, so that no title breaks the table or runs as HTML."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(escaped(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def escaped(value: Any) -> str:
    """A value as text of a Markdown table cell."""
    if value is None:
        return "–"
    text = f"{value:z.2f}" if isinstance(value, float) else str(value)
    return html.escape(" ".join(text.split()), quote=False).replace("|", "\\|")


def clock(seconds: float) -> str:
    """m:ss, as on a player."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
