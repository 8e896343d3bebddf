"""The result of every evaluation, and of every training."""

from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Value = float | int | str | None
Row = dict[str, Value]


class Evaluation(BaseModel):
    """A table of methods and their figures, with what is needed to get the same figures again.

    Metrics are fractions under the field's own names (`wer`, `accuracy`, `f1`, ...); an interval is `<metric>_low` and
    `<metric>_high`. A figure that is not defined is None, and the row's `note` says why.
    """

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    name: str
    signature: dict[str, Any]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    # (title, rows): the same figures arranged for a person, in place of one table of all rows.
    tables: tuple[tuple[str, tuple[Row, ...]], ...] = Field((), exclude=True)


class Trained(NamedTuple):
    """Where a training left its model, and lines on how it went."""

    path: Path
    remarks: tuple[str, ...] = ()


def signature(*packages: str, **facts: Any) -> dict[str, Any]:
    """Package versions and everything else that decides the figures (seed, normaliser, model digests, data, split)."""
    return {"rostrum": version("rostrum"), **{name: version(name) for name in packages}, **facts}
