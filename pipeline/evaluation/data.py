"""What evaluations read: CSV files of data sets, corpora and finished runs."""

import csv
import io
import math
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus, Entry
from pipeline.errors import RostrumError
from pipeline.run.finished import FinishedRun
from pipeline.run.index import FILE
from pipeline.system.files import read_text
from pipeline.text import sentences

# Rows of the CSV files of data sets.


def read_rows(file: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) of a CSV file that has these columns; an optional column that it lacks is empty."""
    if not file.exists():
        raise RostrumError(f"{file}: no such file")
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle, strict=True)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise RostrumError(f"{file}:1: no column {missing[0]!r}; the header must have {', '.join(columns)}")
            for row in reader:
                if any(row[name] is None for name in columns):
                    raise RostrumError(f"{file}:{reader.line_num}: too few columns")
                yield reader.line_num, {name: (row.get(name) or "").strip() for name in (*columns, *optional)}
    except UnicodeDecodeError as error:
        raise RostrumError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except csv.Error as error:
        raise RostrumError(f"{file}:{reader.line_num}: not CSV: {error}") from error


def read_tab_separated(
    file: Path, columns: Sequence[str], *, quoted: bool = False
) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) of a tab-separated file whose header may begin with '#'.

    Unless it is `quoted`, a quotation mark is part of a text.
    """
    text = io.StringIO(read_text(file), newline=None)
    reader = csv.reader(text, delimiter="\t", quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)
    header = [column.lstrip("#") for column in next(_fields(file, reader), [])]
    missing = [column for column in columns if column not in header]
    if missing:
        raise RostrumError(f"{file}: no column {missing[0]!r}; it needs {', '.join(columns)}, separated by tabs")
    for fields in _fields(file, reader):
        if fields:
            line = reader.line_num
            if len(fields) != len(header):
                raise RostrumError(f"{file}: line {line} has {len(fields)} fields where the header has {len(header)}")
            yield line, dict(zip(header, fields, strict=True))


def _fields(file: Path, reader: Any) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise RostrumError(f"{file}:{reader.line_num}: not a table with tabs: {error}") from error


def read_ranks(file: Path, column: str, *, quoted: bool = False) -> Iterator[tuple[str, float]]:
    """(what this column has, its rank) of each row of a tab-separated file."""
    for line, row in read_tab_separated(file, ("rank", column), quoted=quoted):
        try:
            rank = float(row["rank"])
        except ValueError:
            rank = math.nan
        if not math.isfinite(rank):
            raise RostrumError(f"{file}: line {line}: {row['rank']!r} is not a rank; give a number")
        yield row[column], rank


def write_rows(file: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file with this header."""
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(columns)
        writer.writerows(rows)


# What evaluations read from corpora and from finished runs, which are data with the references of their corpus.


def is_run(folder: Path) -> bool:
    """Whether a folder is a finished run, and no corpus."""
    return (folder / FILE).is_file()


def corpus_of(run: FinishedRun) -> Corpus:
    """The corpus of a run, which must still be where it was."""
    if not run.corpus_path.exists():
        gone = f"was a run over {run.corpus_path}, which is not there"
        raise RostrumError(f"{run.store.root}: {gone}; the corpus is needed: put it back")
    return open_corpus(run.corpus_path)


def corpus_in(folder: Path) -> Corpus:
    """The corpus in a folder, or that of the run in it."""
    return corpus_of(FinishedRun(folder)) if is_run(folder) else open_corpus(folder)


def recordings_by_name(corpus: Corpus, wanted: Container[str]) -> dict[str, Path]:
    """The audio file of each wanted name: a file's name without its folder and suffix. No two may have one name."""
    recordings: dict[str, Path] = {}
    for entry in corpus.entries:
        if entry.audio and entry.audio.stem in wanted:
            if entry.audio.stem in recordings:
                raise RostrumError(f"{entry.audio}: there is another recording called {entry.audio.stem}; rename one")
            recordings[entry.audio.stem] = entry.audio
    return recordings


def sentences_of(entry: Entry, transcript: str) -> tuple[str, ...]:
    """The sentences of a transcript that comes with a corpus: its lines. Punkt cuts a text that is all in one line.

    IBM's clean transcripts (`asr.txt`, `trs.txt`) have one sentence per line, even where there is one line only.
    """
    lines = entry.lines(transcript)
    return lines if len(lines) > 1 or transcript.endswith(".txt") else tuple(sentences.split(" ".join(lines)))
