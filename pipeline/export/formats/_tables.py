"""The tables of a run as files: one file per table."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.export.formats import FolderFormat
from pipeline.run.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd


def table_format(suffix: str, write_frame: "Callable[[pd.DataFrame, Path], None]") -> FolderFormat:
    """A format that writes every table of a run with `write_frame`."""

    def files(run: FinishedRun, folder: Path) -> Iterator[Path]:
        from pipeline.export.frames import Frames

        for name, frame in Frames(run).items():
            path = folder / f"{name}{suffix}"
            write_frame(frame, path)
            yield path

    return FolderFormat(files)
