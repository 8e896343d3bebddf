"""What a table is: its columns with their meanings, and where its rows come from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pipeline.engine.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["string", "Int64", "Float64", "boolean"]
Rows = Callable[[FinishedRun], Iterator[tuple[Any, ...]]]


@dataclass(frozen=True)
class Column:
    """A column, its pandas type, and what stands in it."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True)
class Table:
    """A table of a run. `rows` yields a tuple for each row, in the order of the columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Rows


def text(name: str, meaning: str) -> Column:
    return Column(name, "string", meaning)


def integer(name: str, meaning: str) -> Column:
    return Column(name, "Int64", meaning)


def number(name: str, meaning: str) -> Column:
    return Column(name, "Float64", meaning)


def flag(name: str, meaning: str) -> Column:
    return Column(name, "boolean", meaning)


def frame(table: Table, run: FinishedRun) -> "pd.DataFrame":
    """The table as a frame; a column has its type where there are no rows too."""
    import pandas as pd

    rows = list(table.rows(run))
    columns = zip(*rows, strict=True) if rows else [()] * len(table.columns)
    return pd.DataFrame(
        {
            column.name: pd.array(list(values), dtype=column.kind)
            for column, values in zip(table.columns, columns, strict=True)
        }
    )
