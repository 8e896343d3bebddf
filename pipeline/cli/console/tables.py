"""Rows as a table in the terminal."""

from collections.abc import Iterable, Mapping
from typing import Any

import click
import rich.box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pipeline.printable import printable


def print_rows(title: str, rows: Iterable[Mapping[str, Any]], decimals: int = 3) -> None:
    """Print mappings with a shared set of keys on stdout, one column per key."""
    rows = list(rows)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(title=escape(printable(title)) or None, title_justify="left", box=rich.box.SIMPLE_HEAD)
    for column in columns:
        is_number = any(isinstance(row.get(column), int | float) for row in rows)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell(row.get(column), decimals) for column in columns))
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(table)
        return
    # A pipe has no width. The table is as wide as it needs to be, instead of folded at 80 columns.
    wide = Console(highlight=False, width=1000)
    with wide.capture() as capture:
        wide.print(table)
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


def cell(value: Any, decimals: int) -> str:
    """The text of a cell. Brackets are escaped, because rich would take them for colours."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return escape(printable(value))
