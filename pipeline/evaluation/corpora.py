"""What evaluations read from corpora and from finished runs, which are data with the references of their corpus."""

from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.corpus import Corpus, Entry, open_corpus
from pipeline.engine.finished import FinishedRun
from pipeline.engine.summary import FILE
from pipeline.errors import RostrumError
from pipeline.records import AudioFile, Recording
from pipeline.text.sentences import punkt


def is_run(folder: Path) -> bool:
    """Whether a folder is a finished run, and no corpus."""
    return (folder / FILE).is_file()


def corpus_of(run: FinishedRun) -> Corpus:
    """The corpus of a run, which must still be where it was."""
    path = Path(run.summary.corpus_path or run.summary.corpus)
    if not path.exists():
        raise RostrumError(
            f"{run.store.root}: was a run over {path}, which is not there; its references are needed: put it back"
        )
    return open_corpus(path)


def recordings_by_name(corpus: Corpus, wanted: Container[str]) -> dict[str, Path]:
    """The audio file of each wanted name: a file's name without its folder and suffix. No two may have one name."""
    found: dict[str, Path] = {}
    for entry in corpus.entries:
        if entry.audio and entry.audio.stem in wanted:
            if entry.audio.stem in found:
                raise RostrumError(f"{entry.audio}: there is another recording called {entry.audio.stem}; rename one")
            found[entry.audio.stem] = entry.audio
    return found


@contextmanager
def ingested(path: Path) -> Iterator[Recording]:
    """An audio file as the pipeline takes it in, for as long as it is looked at."""
    from pipeline.settings.ingest import IngestSettings
    from pipeline.stages.ingest import ingest

    recording = ingest(AudioFile(path=path), settings=IngestSettings())
    try:
        yield recording
    finally:
        recording.audio.discard()


def sentences_of(entry: Entry, transcript: str) -> tuple[str, ...]:
    """The sentences of a transcript that comes with a corpus: its lines. Punkt cuts a text that is all in one line.

    IBM's clean transcripts (`asr.txt`, `trs.txt`) have one sentence per line, even where there is one line only.
    """
    lines = entry.lines(transcript)
    return lines if len(lines) > 1 or transcript.endswith(".txt") else tuple(punkt.split(" ".join(lines)))
