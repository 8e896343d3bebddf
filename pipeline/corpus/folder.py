"""Reads a folder of recordings as a corpus, with its manifests and the files beside each recording.

A valid corpus may still not be what its owner meant: `notes` remarks on that.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pipeline.corpus.contents import Corpus, Entry, ExpectedText, Part
from pipeline.corpus.files import (
    AUDIO_SUFFIXES,
    NAMED_REFERENCES,
    NAMED_TURNS,
    REFERENCE_SUFFIXES,
    TEXT_SUFFIXES,
    TURN_SUFFIXES,
    files_below,
    motion_text,
)
from pipeline.corpus.manifest import Manifest, Problem, Row, Wanted, read_manifest
from pipeline.errors import RostrumError, hint
from pipeline.formats import read_turns
from pipeline.grouping import grouped
from pipeline.records import Argument, Label, Motion, Speech, Votes
from pipeline.speakers import GivenSpeaker
from pipeline.system.files import Inside, is_file

# What mends an unknown id.
_ADD_IT = "correct it, or add a row with this id"
# So many pairs of names are compared to find the one that was meant.
_MOST_COMPARED = 100_000


def read_folder(folder: Path, part: Part | None = None, debates: Corpus | None = None) -> Corpus:
    """The corpus in a folder. With `speeches.csv` its speeches are those listed there, else every audio file.

    A folder without audio has its texts as speeches; one with written `debates` has these, and what manifests add.
    Of a `part`, only its own speeches and those on their motions are read and checked; or all, if a recording may be
    about several motions: the ids of its parts are in no manifest.
    """
    part = None if part and _names_motions(folder) else part
    reader = _Reader(folder, part)
    motions = {**(debates.motions if debates else {}), **reader.motions()}
    if debates:
        entries = {entry.speech.id: entry for entry in debates.entries}
        reader.problems += debates.problems
    else:
        entries = reader.listed(motions) if (folder / "speeches.csv").exists() else reader.discovered()
    used = None if part is None else {entry.speech.motion for entry in entries.values()}
    others = reader.others(motions, used) if used else {}
    arguments = reader.arguments(motions, used)
    every = reader.with_speakers({**entries, **others}, motions)
    labels = reader.labels(every, arguments)
    expected = reader.expected(motions, used)
    return Corpus(
        folder,
        tuple(entry for id, entry in every.items() if id not in others),
        motions,
        tuple(arguments.values()),
        labels,
        expected,
        reader.votes(motions) or (debates.votes if debates else ()),
        tuple(reader.problems),
        others=tuple(every[id] for id in others),
        ids=tuple(reader.ids) if part else (),
    )


def read_recording(path: Path) -> Corpus:
    """A single recording as a corpus, with the files beside it."""
    reader = _Reader(path.parent)
    entry = reader.beside(path, path.stem)
    return Corpus(path.parent, (entry,), problems=tuple(reader.problems), recording=path)


class _Reader:
    """Reads the parts of a corpus, and collects the problems."""

    def __init__(self, folder: Path, part: Part | None = None) -> None:
        self.folder, self._part = folder, part
        # The ids of all speeches, if only a part of them is read.
        self.ids: list[str] = []
        self.inside = Inside(folder)
        self.problems: list[Problem] = []
        self._compared = 0

    def motions(self) -> dict[str, Motion]:
        return {row["id"]: Motion(id=row["id"], text=row["text"]) for _, row in self._unique("motions.csv")}

    def listed(self, motions: dict[str, Motion]) -> dict[str, Entry]:
        """The speeches of the manifest, or those of the part."""
        return self._listed(motions, ("id", self._is_own) if self._part else None)

    def others(self, motions: dict[str, Motion], used: Collection[str | None]) -> dict[str, Entry]:
        """The speeches of other parts on the motions that are used. Those parts report their problems."""
        problems, self.problems = self.problems, []
        entries = self._listed(motions, ("motion", lambda motion: bool(motion) and motion in used))
        self.problems = problems
        return {id: entry for id, entry in entries.items() if self._part and not self._part.has(id)}

    def _is_own(self, id: str) -> bool:
        self.ids.append(id)
        return self._part is None or self._part.has(id)

    def _listed(self, motions: dict[str, Motion], wanted: Wanted | None) -> dict[str, Entry]:
        rows = list(self._unique("speeches.csv", wanted))
        answers = any(row.get("answers") for _, row in rows)
        ids = {*self.ids} if self._part and answers else {row["id"] for _, row in rows}
        entries = {}
        for line, row in rows:
            known = self._refers(line, row, "speeches.csv", motion=motions, answers=ids)
            so_far = len(self.problems)
            paths = {name: self._inside(line, row, name) for name in ("file", "reference", "transcript", "turns")}
            if known and len(self.problems) == so_far:
                entries[row["id"]] = self._entry(row, paths)
        lines = {row["id"]: line for line, row in rows}
        for id in _in_circles({row["id"]: row.get("answers", "") for _, row in rows}):
            line = lines[id]
            message = "the speech answers itself, directly or through others; correct one of them"
            self.problems.append(Problem("speeches.csv", message, line, "answers"))
            entries.pop(id, None)
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
        beside = self.beside(audio, row["id"]) if audio else Entry(speech)
        return Entry(
            speech,
            audio,
            paths["reference"] or beside.reference,
            paths["transcript"],
            paths["turns"] or beside.turns,
        )

    def discovered(self) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        files = sorted(files_below(self.folder, self._problem))
        recordings = [path for path in files if path.suffix.lower() in AUDIO_SUFFIXES]
        for path in recordings or [path for path in files if path.suffix.lower() in TEXT_SUFFIXES]:
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            if self._part:
                self.ids.append(name)
                if not self._part.has(name):
                    continue
            if not _is_text(name):
                self._problem(path, "its name is not UTF-8; rename it")
            elif name in entries:
                first = entries[name].audio or entries[name].reference
                self._problem(path, f"has the same id {name!r} as {first and first.name}; rename one of them")
            elif recordings:
                entries[name] = self.beside(path, name)
            else:
                entries[name] = Entry(Speech(id=name), reference=path)
        return entries

    def arguments(self, motions: dict[str, Motion], used: Collection[str | None] | None) -> dict[str, Argument]:
        rows = list(self._unique("arguments.csv", _one_of("motion", used)))
        ids = {row["id"] for _, row in rows}
        return {
            row["id"]: Argument(
                id=row["id"],
                motion=row["motion"],
                stance=row["stance"],
                title=row["title"],
                text=row.get("text", ""),
                counter=row.get("counter") or None,
                rebuttal=row.get("rebuttal") or None,
            )
            for line, row in rows
            if self._refers(line, row, "arguments.csv", motion=motions, counter=ids)
        }

    def expected(self, motions: dict[str, Motion], used: Collection[str | None] | None) -> tuple[ExpectedText, ...]:
        return tuple(
            ExpectedText(row["motion"], row.get("stance") or None, row["text"])
            for line, row in self._manifest("references.csv", _one_of("motion", used)).rows
            if self._refers(line, row, "references.csv", motion=motions)
        )

    def votes(self, motions: dict[str, Motion]) -> tuple[Votes, ...]:
        return tuple(
            Votes.model_validate(row)
            for line, row in self._manifest("votes.csv").rows
            if self._refers(line, row, "votes.csv", motion=motions)
        )

    def labels(self, entries: dict[str, Entry], arguments: dict[str, Argument]) -> tuple[Label, ...]:
        known: dict[str, Collection[str]] = {"speech": entries, "argument": arguments}
        return tuple(
            Label(
                speech=row["speech"],
                argument=row["argument"],
                mentioned=row["mentioned"] == "1",
                how=row.get("how") or None,
                votes_yes=int(row["votes_yes"]) if row.get("votes_yes") else None,
                votes_no=int(row["votes_no"]) if row.get("votes_no") else None,
            )
            for line, row in self._manifest("labels.csv", _one_of("argument", arguments if self._part else None)).rows
            if self._refers(line, {**row, "speech": _recording_of(row["speech"], entries)}, "labels.csv", **known)
        )

    def with_speakers(self, entries: dict[str, Entry], motions: dict[str, Motion]) -> dict[str, Entry]:
        """The entries with the people that `speakers.csv` names."""
        part = self._part
        wanted: Wanted | None = ("recording", lambda id: id in entries or part.has(id)) if part else None
        rows = [
            (row["recording"], _given_speaker(row))
            for line, row in self._manifest("speakers.csv", wanted).rows
            if self._refers(line, row, "speakers.csv", recording=entries, motion=motions) and self._says_who(line, row)
        ]
        if not rows:
            return entries
        people = grouped(rows)
        named = {id: replace(entry, speakers=people.get(id, entry.speakers)) for id, entry in entries.items()}
        return dict(self._on_each_motion(named))

    def _on_each_motion(self, entries: dict[str, Entry]) -> Iterator[tuple[str, Entry]]:
        """The entries, and one more for every other motion that `speakers.csv` names in a recording."""
        for id, entry in entries.items():
            motions = dict.fromkeys(row.motion for row in entry.speakers if row.motion)
            first = entry.speech.motion or next(iter(motions), None)
            yield id, replace(entry, speech=entry.speech.model_copy(update={"motion": first}))
            for motion in (motion for motion in motions if motion != first):
                other = f"{id}-{motion}"
                if other in entries:
                    message = f"{id} also has a part on {motion}, which would be called {other!r}; rename one of them"
                    self.problems.append(Problem("speakers.csv", message))
                else:
                    fields = {"id": other, "motion": motion, "stance": None, "answers": None, "response": None}
                    yield other, replace(entry, speech=entry.speech.model_copy(update=fields), same_recording_as=id)

    def _says_who(self, line: int, row: Row) -> bool:
        if row.get("voice") or row.get("name") or row.get("from"):
            return True
        message = "the row names nobody; fill in voice, name or from"
        self.problems.append(Problem("speakers.csv", message, line))
        return False

    def _manifest(self, name: str, wanted: Wanted | None = None) -> Manifest:
        manifest = read_manifest(self.folder, name, wanted) or Manifest(name)
        self.problems.extend(manifest.problems)
        return manifest

    def _unique(self, name: str, wanted: Wanted | None = None) -> Iterator[tuple[int, Row]]:
        """The rows whose id occurs for the first time. An id that is repeated is a problem."""
        first_line: dict[str, int] = {}
        for line, row in self._manifest(name, wanted).rows:
            if row["id"] in first_line:
                other = first_line[row["id"]]
                self.problems.append(
                    Problem(name, f"the id {row['id']!r} is also in line {other}; change one of them", line, "id")
                )
            else:
                first_line[row["id"]] = line
                yield line, row

    def _refers(self, line: int, row: Row, name: str, **columns: Collection[str]) -> bool:
        """Whether every id that the row refers to is known. An unknown id is a problem."""
        unknown = [
            Problem(name, f"there is no {row[column]!r}; {self._hint(row[column], known)}", line, column)
            for column, known in columns.items()
            if row.get(column) and row[column] not in known
        ]
        self.problems.extend(unknown)
        return not unknown

    def _hint(self, name: str, known: Collection[str]) -> str:
        """The known name that is most similar, for the first unknown names. To compare all would take hours."""
        self._compared += len(known)
        return hint(name, known, _ADD_IT) if self._compared <= _MOST_COMPARED else _ADD_IT

    def _inside(self, line: int, row: Row, column: str) -> Path | None:
        """The file that a cell names, if any. A file that is missing or outside of the folder is a problem."""
        if not row.get(column):
            return None
        path = self.folder / row[column]
        if path not in self.inside:
            self.problems.append(Problem("speeches.csv", f"{row[column]} is outside of the folder", line, column))
        elif not is_file(path):
            self.problems.append(Problem("speeches.csv", f"there is no file {row[column]}", line, column))
        else:
            return path
        return None

    def _problem(self, path: Path, message: str) -> None:
        name = str(path.relative_to(self.folder))
        self.problems.append(Problem(name.encode(errors="backslashreplace").decode(), message))

    def beside(self, audio: Path, id: str) -> Entry:
        """The entry of a recording, with the reference transcript and the turns in files of its name beside it."""

        def first(suffixes: Sequence[str]) -> Path | None:
            paths = (audio.with_suffix(suffix) for suffix in suffixes)
            return next((path for path in paths if is_file(path) and path in self.inside), None)

        reference = first((*NAMED_REFERENCES, *REFERENCE_SUFFIXES))
        return Entry(Speech(id=id), audio, reference, turns=first((*NAMED_TURNS, *TURN_SUFFIXES)))


def _names_motions(folder: Path) -> bool:
    """Whether `speakers.csv` says on which motion somebody speaks."""
    manifest = read_manifest(folder, "speakers.csv", ("motion", bool))
    return bool(manifest and manifest.rows)


def _one_of(column: str, values: Collection[str | None] | None) -> Wanted | None:
    """Only the rows with one of these values in the column; all rows if there are no values."""
    return None if values is None else (column, lambda value: value in values)


def _given_speaker(row: Row) -> GivenSpeaker:
    cells = {name: row.get(name) or None for name in ("voice", "name", "role", "side", "motion", "response")}
    return GivenSpeaker.model_validate(
        {
            **cells,
            "start": float(row["from"]) if row.get("from") else None,
            "end": float(row["to"]) if row.get("to") else None,
            "answers": tuple(name.strip() for name in row.get("answers", "").split(";") if name.strip()),
        }
    )


def _recording_of(speech: str, recordings: Collection[str]) -> str:
    """The recording of a speech that is only a part of it: `debate/anna` is what Anna says in `debate`."""
    recording = speech.rpartition("/")[0]
    return recording if speech not in recordings and recording in recordings else speech


def _in_circles(answered: Mapping[str, str]) -> list[str]:
    """The speeches that answer themselves, directly or through others."""
    circles: list[str] = []
    done: set[str] = set()
    for first in answered:
        path: list[str] = []
        speech = first
        while speech in answered and speech not in done:
            done.add(speech)
            path.append(speech)
            speech = answered[speech]
        if speech in path:
            circles += path[path.index(speech) :]
    return circles


def _is_text(name: str) -> bool:
    """Whether a file's name is UTF-8."""
    return not any("\udc80" <= sign <= "\udcff" for sign in name)


# Remarks on a corpus that is valid, but may not be what its owner meant.

# Turns may end so many seconds after their recording, because two programs may measure its length differently.
_TOLERANCE = 0.5
# A longer text cannot be that of its recording: the fastest speakers need a third of these bytes, marks and line breaks
# included. Short texts are not checked.
_BYTES_PER_SECOND, _SHORT_REFERENCE = 100, 10_000


def empty_recordings(corpus: Corpus) -> Iterator[Problem]:
    """Recordings of 0 bytes, which every run would fail on."""
    for entry in corpus.entries:
        if entry.audio and entry.audio.is_file() and not entry.audio.stat().st_size:
            yield Problem(str(entry.audio.relative_to(corpus.folder)), "is empty (0 bytes); copy the recording again")


def notes(corpus: Corpus) -> Iterator[Problem]:
    """Probable mistakes: recordings that are not listed, files that do not fit their recording, unwritten motions."""
    yield from _unlisted(corpus)
    for entry in corpus.entries:
        yield from _unfitting(entry, corpus.folder)
    for motion in corpus.motions.values():
        if motion.text == motion_text(motion.id):
            message = f"{motion.text!r} is not a motion yet; write it out, such as 'We should ban phones in schools.'"
            yield Problem("motions.csv", message, column="text")


def _unfitting(entry: Entry, folder: Path) -> Iterator[Problem]:
    """Notes on turns and a reference transcript that are too long for their recording."""
    from pipeline.ingest import stated_duration

    long_reference = entry.reference is not None and entry.reference.stat().st_size > _SHORT_REFERENCE
    duration = stated_duration(entry.audio) if entry.audio and (entry.turns or long_reference) else None
    if duration is None:
        return
    with suppress(RostrumError):  # a file that cannot be read is reported elsewhere
        end = max((turn.end for turn in read_turns(entry.turns)), default=0.0) if entry.turns else 0.0
        if entry.turns and end > duration + _TOLERANCE:
            message = f"its turns end at {end:.1f} s, the recording at {duration:.1f} s; the rest is left out"
            yield Problem(str(entry.turns.relative_to(folder)), message)
    size = entry.reference.stat().st_size if entry.reference and long_reference else 0
    if entry.reference and size > _BYTES_PER_SECOND * duration:
        message = f"{size:,} bytes of text for {duration:.1f} s of sound; is it the transcript of this recording?"
        yield Problem(str(entry.reference.relative_to(folder)), message)


def _unlisted(corpus: Corpus) -> Iterator[Problem]:
    known = {entry.audio for entry in corpus.entries}
    files = (path for path in files_below(corpus.folder) if path.suffix.lower() in AUDIO_SUFFIXES)
    left = [path for path in files if path not in known]
    listed = read_manifest(corpus.folder, "speeches.csv") if left else None
    if listed is None:
        return
    named = {corpus.folder / row["file"] for _, row in listed.rows if row.get("file")}  # also those with problems
    for path in left:
        if path not in named:
            yield Problem("speeches.csv", f"{path.relative_to(corpus.folder)} is not listed, so it is left out")
