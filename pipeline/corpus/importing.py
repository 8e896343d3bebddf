"""Writes a corpus as a folder with manifests."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.manifest import write_manifest
from pipeline.errors import RostrumError

Row = Mapping[str, object]


def write_corpus(corpus: Corpus, destination: Path) -> dict[str, int]:
    """Copy the speeches' files into a new folder, write the manifests, and return the number of rows of each."""
    if destination.exists() and any(destination.iterdir()):
        raise RostrumError(f"{destination}: is not empty; name a new folder")
    destination.mkdir(parents=True, exist_ok=True)
    tables: dict[str, list[Row]] = {
        "motions.csv": [motion.model_dump() for motion in corpus.motions.values()],
        "speeches.csv": [_speech_row(entry, destination) for entry in corpus.entries],
        "arguments.csv": [argument.model_dump() for argument in corpus.arguments],
        "labels.csv": [{**label.model_dump(), "mentioned": int(label.mentioned)} for label in corpus.labels],
    }
    for name, table in tables.items():
        write_manifest(destination / name, table)
    return {name.removesuffix(".csv"): len(table) for name, table in tables.items()}


def _speech_row(entry: Entry, destination: Path) -> Row:
    speech = entry.speech
    files = {"file": entry.audio, "reference": entry.reference, "transcript": entry.transcript, "turns": entry.turns}
    return {
        **speech.model_dump(exclude={"speakers"}),
        "speaker": ";".join(speech.speakers),
        **{column: _copied(speech.id, path, destination) for column, path in files.items() if path},
    }


def _copied(speech: str, source: Path, destination: Path) -> str:
    """Copy one file of a speech, and return its path in the new corpus."""
    target = destination / "speeches" / f"{speech}{source.suffix}"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target.relative_to(destination).as_posix()
