"""Tables: everything in a run, one file per table, and the sentences of each speech."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.export.formats import FolderFormat, SpeechFormat, write
from pipeline.export.speech import AnnotatedSpeech
from pipeline.formats import table_cell
from pipeline.run.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd


MEMBERS = {
    "csv": "Tables of everything as CSV: one file per table.",
    "parquet": "Tables of everything as Parquet: one file per table.",
    "tsv": "Tab-separated sentences, in the columns of Whisper's own .tsv and speaker.",
}


def table_format(suffix: str, write_frame: "Callable[[pd.DataFrame, Path], None]") -> FolderFormat:
    """A format that writes every table of a run with `write_frame`."""

    def files(run: FinishedRun, folder: Path) -> Iterator[Path]:
        from pipeline.export.frames import Frames

        for name, frame in Frames(run).items():
            path = folder / f"{name}{suffix}"
            write_frame(frame, path)
            yield path

    return FolderFormat(files)


def write_csv(frame: "pd.DataFrame", path: Path) -> None:
    """Write a table as CSV. A text that a spreadsheet would compute gets an apostrophe before it."""
    texts = {name: frame[name].map(table_cell, na_action="ignore") for name in frame.select_dtypes("string").columns}
    write(path, frame.assign(**texts).to_csv(index=False, lineterminator="\n"))


def tsv(speech: AnnotatedSpeech) -> str:
    """start and end in milliseconds, text, speaker; one line per sentence."""
    lines = ["start\tend\ttext\tspeaker"]
    for sentence in speech.sentences:
        parts = (sentence.text, sentence.speaker)
        text, speaker = (table_cell(" ".join((part or "").split())) for part in parts)
        lines.append(f"{round(sentence.start * 1000)}\t{round(sentence.end * 1000)}\t{text}\t{speaker}")
    return "\n".join(lines) + "\n"


CSV = table_format(".csv", write_csv)
FORMATS = {
    "csv": CSV,
    "parquet": table_format(".parquet", lambda frame, path: frame.to_parquet(path, index=False)),
    "tsv": SpeechFormat(".tsv", tsv),
}
