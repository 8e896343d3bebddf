"""Data to compute with: everything in a run as tables, and each speech as JSON or as a table of its sentences."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.export.formats import FolderFormat, SpeechFormat, json_text, write
from pipeline.export.speech import AnnotatedSpeech
from pipeline.formats import table_cell
from pipeline.run.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd


MEMBERS = {
    "json": "One JSON object: text, words and sentences with their times, speakers, language.",
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


def transcript(speech: AnnotatedSpeech) -> str:
    """The speech as a JSON object. Times are in seconds; a sentence is words `first` up to, not including, `last`."""
    content = {
        "speech": speech.id,
        "duration": speech.duration,
        "language": speech.language,
        "recogniser": speech.recogniser,
        "doubt": speech.doubt,
        "translated_by": speech.translated_by,
        "speakers": speech.speakers,
        "text": " ".join(sentence.text for sentence in speech.sentences),
        "sentences": [sentence.model_dump(mode="json") for sentence in speech.sentences],
        "words": [word.model_dump(mode="json") for word in speech.words],
    }
    return json_text(content)


CSV = table_format(".csv", write_csv)
FORMATS = {
    "json": SpeechFormat(".json", transcript),
    "csv": CSV,
    "parquet": table_format(".parquet", lambda frame, path: frame.to_parquet(path, index=False)),
    "tsv": SpeechFormat(".tsv", tsv),
}
