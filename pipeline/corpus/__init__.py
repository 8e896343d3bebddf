"""Opens a corpus: finds its files, reports its problems, and gives its records to the stages.

`open_corpus` takes a folder of recordings, IBM's Recorded Debating Dataset, a folder of written debates, or a single
recording.
"""

from pathlib import Path

from pipeline.corpus.contents import Corpus, Entry, ExpectedText, Part, how_to_give
from pipeline.corpus.corrections import with_corrections
from pipeline.corpus.datasets import has_debates, has_ibm_layout, read_debates, read_ibm
from pipeline.corpus.files import AUDIO_SUFFIXES, snapshot
from pipeline.corpus.folder import read_folder, read_recording
from pipeline.corpus.manifest import MANIFESTS, Problem, add_rows
from pipeline.errors import RostrumError
from pipeline.system.files import not_there

__all__ = [
    "AUDIO_SUFFIXES",
    "Corpus",
    "Entry",
    "ExpectedText",
    "Problem",
    "add_rows",
    "how_to_give",
    "open_corpus",
    "snapshot",
]


def open_corpus(path: Path, part: Part | None = None) -> Corpus:
    """The corpus at a path: a folder of recordings, of IBM's debates or of debates as JSON, or one recording.

    Corrections that people made are applied. With a `part`, the corpus has only its speeches.
    """
    part = None if part is None or part.is_all else part
    corpus = _read(path, part)
    # A folder with manifests is read in parts. Others are small enough to be read as a whole.
    return with_corrections(corpus.part(part) if part and not corpus.ids else corpus)


def _read(path: Path, part: Part | None = None) -> Corpus:
    """The corpus at a path, without corrections."""
    if path.is_dir():
        if not any((path / name).exists() for name in MANIFESTS) and has_ibm_layout(path):
            return read_ibm(path)
        if not (path / "speeches.csv").exists() and has_debates(path):
            return read_folder(path, debates=read_debates(path))
        return read_folder(path, part)
    if not path.exists():
        if str(path) == "-":
            raise RostrumError("-: only `rostrum transcribe -` reads stdin; save the recording to a file")
        raise not_there(path)
    if path.suffix.lower() not in AUDIO_SUFFIXES:
        raise RostrumError(f"{path}: not a recording; give a folder, or a file such as .wav, .flac or .mp3")
    if not path.is_file():
        raise RostrumError(f"{path}: not a file; give a recording, or a folder of them")
    return read_recording(path)
