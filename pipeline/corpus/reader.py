"""A folder of audio is a corpus: the speeches in it, with what manifests and files beside the audio say of them."""

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.corpus.manifest import Manifest, Problem, Row, read_manifest
from pipeline.errors import RostrumError
from pipeline.records import Argument, Arguments, Label, Motion, Speech

AUDIO_SUFFIXES = frozenset(
    f".{name}"
    for name in ("wav", "w64", "flac", "mp3", "m4a", "aac", "ogg", "oga", "opus", "webm", "aif", "aiff", "aifc", "caf")
    + ("mp4", "mkv", "mov", "wma", "amr")
)
REFERENCE_SUFFIXES = (".txt", ".trs")


@dataclass(frozen=True)
class Entry:
    """A speech and the files it has."""

    speech: Speech
    audio: Path | None = None
    reference: Path | None = None
    transcript: Path | None = None
    turns: Path | None = None


@dataclass(frozen=True)
class GivenReference:
    """What a good speech on a motion says; of one side, or of both."""

    motion: str
    stance: str | None
    text: str


@dataclass(frozen=True)
class Corpus:
    """What there is to work on. Speeches that `problems` speak of are not among the entries."""

    folder: Path
    entries: tuple[Entry, ...]
    motions: dict[str, Motion] = field(default_factory=dict)
    arguments: tuple[Argument, ...] = ()
    labels: tuple[Label, ...] = ()
    references: tuple[GivenReference, ...] = ()
    problems: tuple[Problem, ...] = ()

    def arguments_on(self, motion: str | None) -> Arguments | None:
        found = tuple(argument for argument in self.arguments if argument.motion == motion)
        return Arguments(items=found) if found else None

    def references_on(self, speech: Speech) -> tuple[str, ...]:
        """What was given as a reference for speeches like this one."""
        return tuple(
            reference.text
            for reference in self.references
            if reference.motion == speech.motion and reference.stance in (None, speech.stance)
        )

    def speeches_on(self, motion: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.speech.motion == motion)


def read_corpus(folder: Path) -> Corpus:
    """The corpus in a folder. With `speeches.csv` its speeches are those listed there, else every audio file."""
    if not folder.is_dir():
        raise RostrumError(f"{folder}: no such folder")
    reader = _Reader(folder)
    motions = reader.motions()
    entries = reader.listed(motions) if (folder / "speeches.csv").exists() else reader.discovered()
    arguments = reader.arguments(motions)
    labels = reader.labels(entries, arguments)
    references = reader.references(motions)
    return Corpus(
        folder,
        tuple(entries.values()),
        motions,
        tuple(arguments.values()),
        labels,
        references,
        tuple(reader.problems),
    )


class _Reader:
    """Reads the parts of a corpus and collects what is wrong with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []

    def motions(self) -> dict[str, Motion]:
        return {row["id"]: Motion(id=row["id"], text=row["text"]) for _, row in self._unique("motions.csv")}

    def listed(self, motions: dict[str, Motion]) -> dict[str, Entry]:
        rows = list(self._unique("speeches.csv"))
        ids = {row["id"] for _, row in rows}
        entries = {}
        for line, row in rows:
            known = self._refers(line, row, "speeches.csv", motion=motions, answers=ids)
            so_far = len(self.problems)
            paths = {name: self._inside(line, row, name) for name in ("file", "reference", "transcript", "turns")}
            if known and len(self.problems) == so_far:
                entries[row["id"]] = self._entry(row, paths)
        return entries

    def _entry(self, row: Row, paths: dict[str, Path | None]) -> Entry:
        speech = Speech(
            id=row["id"],
            motion=row.get("motion") or None,
            stance=row.get("stance") or None,
            speakers=tuple(name.strip() for name in row.get("speaker", "").split(";") if name.strip()),
            answers=row.get("answers") or None,
            response=row.get("response") or None,
            score=float(row["score"]) if row.get("score") else None,
        )
        audio = paths["file"]
        beside = self._beside(audio) if audio else Entry(speech)
        return Entry(
            speech,
            audio,
            paths["reference"] or beside.reference,
            paths["transcript"],
            paths["turns"] or beside.turns,
        )

    def discovered(self) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        for path in sorted(self._files(self.folder, set())):
            if path.suffix.lower() not in AUDIO_SUFFIXES:
                continue
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            if not _is_text(name):
                self._problem(path, "its name is not UTF-8; rename it")
            elif name in entries:
                first = entries[name].audio
                self._problem(path, f"would be the speech {name!r}, which {first and first.name} is; rename one")
            else:
                beside = self._beside(path)
                entries[name] = Entry(Speech(id=name), path, beside.reference, None, beside.turns)
        return entries

    def arguments(self, motions: dict[str, Motion]) -> dict[str, Argument]:
        rows = list(self._unique("arguments.csv"))
        ids = {row["id"] for _, row in rows}
        return {
            row["id"]: Argument(
                id=row["id"],
                motion=row["motion"],
                stance=row["stance"],
                title=row["title"],
                text=row.get("text", ""),
                counter=row.get("counter") or None,
            )
            for line, row in rows
            if self._refers(line, row, "arguments.csv", motion=motions, counter=ids)
        }

    def references(self, motions: dict[str, Motion]) -> tuple[GivenReference, ...]:
        return tuple(
            GivenReference(row["motion"], row.get("stance") or None, row["text"])
            for line, row in self._manifest("references.csv").rows
            if self._refers(line, row, "references.csv", motion=motions)
        )

    def labels(self, entries: dict[str, Entry], arguments: dict[str, Argument]) -> tuple[Label, ...]:
        return tuple(
            Label(
                speech=row["speech"],
                argument=row["argument"],
                mentioned=row["mentioned"] == "1",
                how=row.get("how") or None,
                votes_yes=int(row["votes_yes"]) if row.get("votes_yes") else None,
                votes_no=int(row["votes_no"]) if row.get("votes_no") else None,
            )
            for line, row in self._manifest("labels.csv").rows
            if self._refers(line, row, "labels.csv", speech=entries, argument=arguments)
        )

    def _manifest(self, name: str) -> Manifest:
        manifest = read_manifest(self.folder, name) or Manifest(name)
        self.problems.extend(manifest.problems)
        return manifest

    def _unique(self, name: str) -> Iterator[tuple[int, Row]]:
        """Rows with an id of their own; the first of several keeps it."""
        first_line: dict[str, int] = {}
        for line, row in self._manifest(name).rows:
            if row["id"] in first_line:
                other = first_line[row["id"]]
                self.problems.append(
                    Problem(name, f"the id {row['id']!r} is that of line {other}; give it one of its own", line, "id")
                )
            else:
                first_line[row["id"]] = line
                yield line, row

    def _refers(self, line: int, row: Row, name: str, **columns: Container[str]) -> bool:
        """Whether every id that the row refers to is known; what is not is a problem."""
        unknown = [
            Problem(name, f"there is no {row[column]!r}", line, column)
            for column, known in columns.items()
            if row.get(column) and row[column] not in known
        ]
        self.problems.extend(unknown)
        return not unknown

    def _inside(self, line: int, row: Row, column: str) -> Path | None:
        """The file a cell names, if it names one; a file that is outside or missing is a problem."""
        if not row.get(column):
            return None
        path = self.folder / row[column]
        if not _is_inside(path, self.folder):
            self.problems.append(Problem("speeches.csv", f"{row[column]} is outside of the folder", line, column))
        elif not _is_file(path):
            self.problems.append(Problem("speeches.csv", f"there is no file {row[column]}", line, column))
        else:
            return path
        return None

    def _files(self, folder: Path, seen: set[Path]) -> Iterator[Path]:
        """Files below a folder, links followed where they stay inside and lead nowhere twice."""
        seen.add(folder.resolve())
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self._problem(folder, f"cannot be looked into: {error.strerror}")
            return
        for each in entries:
            path = Path(each.path)
            if each.name.startswith("."):
                continue
            if each.is_symlink() and not _is_inside(path, self.folder):
                self._problem(path, "a link that leads out of the folder or in a circle; put the file itself there")
            elif each.is_dir():
                if path.resolve() not in seen:
                    yield from self._files(path, seen)
            elif each.is_file():
                yield path

    def _problem(self, path: Path, message: str) -> None:
        name = str(path.relative_to(self.folder))
        self.problems.append(Problem(name.encode(errors="backslashreplace").decode(), message))

    def _beside(self, audio: Path) -> Entry:
        """The reference and the turns that lie beside an audio file under its stem."""

        def beside(*suffixes: str) -> Path | None:
            paths = (audio.with_suffix(suffix) for suffix in suffixes)
            return next((path for path in paths if _is_file(path) and _is_inside(path, self.folder)), None)

        return Entry(Speech(id=audio.stem), audio, reference=beside(*REFERENCE_SUFFIXES), turns=beside(".rttm"))


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve(strict=os.path.islink(path)).is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, a link to nothing, or no name that a file can have
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for a file
        return False


def _is_text(name: str) -> bool:
    """Whether a file's name is UTF-8."""
    return not any("\udc80" <= sign <= "\udcff" for sign in name)
