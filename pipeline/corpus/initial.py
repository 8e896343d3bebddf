"""The first manifests of a folder of recordings, and a corpus written as a folder with manifests."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.datasets import has_debates
from pipeline.corpus.files import guesses, motion_text, no_recordings
from pipeline.corpus.manifest import MANIFESTS, Row, read_manifest, write_manifest
from pipeline.errors import RostrumError

# The first manifests of a folder of recordings, to be corrected and filled in by a person.

_ABOUT = {
    "speeches.csv": (
        "The speeches: one row per recording. `rostrum init` guessed motion, stance and speaker from the files' names:",
        "correct what is wrong, and fill in what you know. Leave the other cells empty.",
    ),
    "motions.csv": (
        "The motions: what is debated. `rostrum init` took the texts from the files' names: write full sentences.",
    ),
    "arguments.csv": (
        "The known arguments: what somebody may say on a motion. rostrum finds which speech mentions which.",
        "Where no arguments are known, leave this file as it is.",
    ),
}
_EXAMPLES: Mapping[str, Row] = {
    "speeches.csv": {"id": "anna", "file": "anna.wav", "motion": "phones", "stance": "pro", "speaker": "Anna"},
    "motions.csv": {"id": "phones", "text": "We should ban mobile phones in schools."},
    "arguments.csv": {
        "id": "focus",
        "motion": "phones",
        "stance": "pro",
        "title": "Phones distract pupils.",
        "text": "A phone in the pocket competes with the lesson.",
    },
}


class Written(NamedTuple):
    """A manifest and its rows. With `was_there`, the manifest existed before and was left as it is."""

    path: Path
    rows: Sequence[Row] = ()
    was_there: bool = False


def write_first_manifests(folder: Path) -> list[Written]:
    """Write the manifests that a folder of recordings does not have, with comments that explain each column.

    Motions, stances and speakers are guessed from the names of the files. A manifest that exists stays as it is.
    Written debates lack only known arguments.
    """
    if not folder.is_dir():
        raise RostrumError(f"{folder}: not a folder" if folder.exists() else f"{folder}: no such folder")
    listed = read_manifest(folder, "speeches.csv")
    if not listed and has_debates(folder):  # they say themselves who speaks on which motion
        return [_written(folder, "arguments.csv", [])]
    rows = [row for _, row in listed.rows] if listed else _guessed(folder)
    motions = dict.fromkeys(row["motion"] for row in rows if row.get("motion"))
    tables: dict[str, Sequence[Row]] = {
        "speeches.csv": rows,
        "motions.csv": [{"id": motion, "text": motion_text(motion)} for motion in motions],
        "arguments.csv": [],
    }
    return [_written(folder, name, table) for name, table in tables.items()]


def _guessed(folder: Path) -> list[Row]:
    """One row per recording of the folder, or per text if it has no recordings."""
    entries = [entry for entry in open_corpus(folder).entries if entry.audio or entry.reference]
    if not entries:
        raise RostrumError(no_recordings(folder))
    guessed = guesses([entry.speech.id for entry in entries])
    return [
        {
            "id": entry.speech.id.lstrip("# "),  # a row that begins with '# ' is a comment
            **_files(entry, folder),
            "motion": guess.motion or "",
            "stance": guess.stance or "",
            "speaker": "; ".join(guess.speakers),
        }
        for entry, guess in zip(entries, guessed.values(), strict=True)
    ]


def _files(entry: Entry, folder: Path) -> Row:
    files = {"file": entry.audio, "reference": entry.reference, "transcript": entry.transcript, "turns": entry.turns}
    return {column: path.relative_to(folder).as_posix() for column, path in files.items() if path}


def _written(folder: Path, name: str, rows: Sequence[Row]) -> Written:
    path = folder / name
    if os.path.lexists(path):
        return Written(path, was_there=True)
    write_manifest(path, rows, comments=_comments(name))
    return Written(path, rows)


def _comments(name: str) -> list[str]:
    columns = [
        f"{column.name}: {column.meaning}{' (required)' if column.required else ''}" for column in MANIFESTS[name]
    ]
    example = ",".join(_cell(_EXAMPLES[name].get(column.name, "")) for column in MANIFESTS[name])
    return [*_ABOUT[name], "", *columns, "", f"For example: {example}", 'Lines that begin with "# " are comments.']


def _cell(text: str) -> str:
    return f'"{text}"' if "," in text else text


# Writes a corpus as a folder with manifests.

ManifestRow = Mapping[str, object]


def write_corpus(corpus: Corpus, destination: Path) -> dict[str, int]:
    """Copy the speeches' files into a new folder, write the manifests, and return the number of rows of each."""
    if destination.exists() and any(destination.iterdir()):
        raise RostrumError(f"{destination}: is not empty; name a new folder")
    destination.mkdir(parents=True, exist_ok=True)
    tables: dict[str, list[ManifestRow]] = {
        "motions.csv": [motion.model_dump() for motion in corpus.motions.values()],
        "speeches.csv": [_speech_row(entry, destination) for entry in corpus.entries],
        "arguments.csv": [argument.model_dump() for argument in corpus.arguments],
        "labels.csv": [{**label.model_dump(), "mentioned": int(label.mentioned)} for label in corpus.labels],
    }
    if people := [row for entry in corpus.entries for row in _speaker_rows(entry)]:
        tables["speakers.csv"] = people
    if corpus.votes:
        tables["votes.csv"] = [votes.model_dump() for votes in corpus.votes]
    for name, table in tables.items():
        write_manifest(destination / name, table)
    return {name.removesuffix(".csv"): len(table) for name, table in tables.items()}


def _speech_row(entry: Entry, destination: Path) -> ManifestRow:
    speech = entry.speech
    files = {"file": entry.audio, "reference": entry.reference, "transcript": entry.transcript, "turns": entry.turns}
    return {
        **speech.model_dump(exclude={"speakers", "recording"}),
        "speaker": ";".join(speech.speakers),
        **{column: _copied(speech.id, path, destination) for column, path in files.items() if path},
    }


def _speaker_rows(entry: Entry) -> Iterator[ManifestRow]:
    for person in entry.speakers:
        yield {
            "recording": entry.speech.id,
            **person.model_dump(exclude={"start", "end", "answers"}),
            "from": person.start,
            "to": person.end,
            "answers": ";".join(person.answers),
        }


def _copied(speech: str, source: Path, destination: Path) -> str:
    """Copy one file of a speech, and return its path in the new corpus."""
    target = destination / "speeches" / f"{speech}{source.suffix}"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target.relative_to(destination).as_posix()
