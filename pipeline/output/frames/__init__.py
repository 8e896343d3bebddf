"""Everything a run found, as pandas frames: tidy, one row a thing, every column documented."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.engine.finished import FinishedRun
from pipeline.output.frames.table import Table, frame

if TYPE_CHECKING:
    import pandas as pd


class Frames(Mapping[str, "pd.DataFrame"]):
    """The tables of a run by name, each made when it is first asked for: `run["words"]`, or `run.words`."""

    def __init__(self, run: FinishedRun) -> None:
        self.run = run
        self._made: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> "pd.DataFrame":
        if name not in self._made:
            self._made[name] = frame(self._tables[name], self.run)
        return self._made[name]

    def __getattr__(self, name: str) -> "pd.DataFrame":
        if name in tables():
            return self[name]
        raise AttributeError(f"there is no table {name!r}; there are {', '.join(tables())}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tables()]

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return tables()


def load(run: str | Path, *, anonymise: bool = False) -> Frames:
    """The tables of a run folder (or s3:// URL); with `anonymise`, without names of speakers and files."""
    return Frames(FinishedRun(run, anonymise=anonymise))


def tables() -> dict[str, Table]:
    """Every table there is."""
    from pipeline.output.frames.argued import ARGUED
    from pipeline.output.frames.corpus import CORPUS
    from pipeline.output.frames.spoken import SPOKEN

    return {table.name: table for table in (*CORPUS, *SPOKEN, *ARGUED)}
