"""The data of word error rates: transcripts beside what people wrote down, or recordings to transcribe."""

from pathlib import Path
from typing import NamedTuple

from pipeline.corpus import Corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.corpora import recordings_by_name
from pipeline.system.files import read_text

TABLE = "transcripts.tsv"
# The recogniser's words as they are, and as IBM cleaned them, against both forms of IBM's reference; in any other
# corpus, the given transcripts against the references.
PAIRS = (("asr", "trs"), ("asr", "trs.txt"), ("asr.txt", "trs.txt"), ("transcript", "reference"))


class Recorded(NamedTuple):
    """A recording and what is said in it."""

    audio: Path
    said: str


def recorded(corpus: Corpus) -> list[Recorded]:
    """The recordings with what is said in them, by `transcripts.tsv` (name, tab, text) or by their references."""
    table = corpus.folder / TABLE
    if table.exists():
        return _by_table(corpus, table)
    return [
        Recorded(entry.audio, entry.text("reference")) for entry in corpus.entries if entry.audio and entry.reference
    ]


def _by_table(corpus: Corpus, table: Path) -> list[Recorded]:
    lines = [(number, *line.partition("\t")) for number, line in enumerate(read_text(table).splitlines(), 1) if line]
    audio = recordings_by_name(corpus, {name for _, name, _, _ in lines})
    found = []
    for number, name, tab, text in lines:
        if not tab:
            raise RostrumError(f"{table}:{number}: no tab between the recording's name and what is said in it")
        if name not in audio:
            raise RostrumError(f"{table}:{number}: there is no recording called {name}")
        found.append(Recorded(audio[name], text))
    return found
