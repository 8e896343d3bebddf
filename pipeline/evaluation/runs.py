"""A finished run as data to evaluate on: what it found, beside the references of its corpus."""

from pathlib import Path

from pipeline.corpus import Corpus, open_corpus
from pipeline.engine.finished import FinishedRun
from pipeline.engine.summary import FILE
from pipeline.errors import RostrumError


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
