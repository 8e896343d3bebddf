"""Corrections that people made to the results of a run. They are files of the corpus, and the next run uses them.

`corrections/<speech>/` has two files for every version: `0001.json` is the correction, `0001.txt` the corrected
transcript, one line per sentence. The last version counts. A version is never changed: undoing one writes the next.
"""

import csv
import hashlib
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.manifest import MANIFESTS, Problem, read_manifest
from pipeline.errors import RostrumError, StorageError
from pipeline.records import Correction, Judgement, Label
from pipeline.system.files import is_inside, read_text, write_file

FOLDER = "corrections"
_LONGEST_NAME = 60
_VERSION = re.compile(r"\d{4,}", re.ASCII)


def with_corrections(corpus: Corpus) -> Corpus:
    """The corpus with the corrections in its folder: corrected transcripts, speaker turns and labels.

    A correction that cannot be read is a problem of the corpus. Its speech is left out of the entries.
    """
    if not (corpus.folder / FOLDER).is_dir():
        return corpus
    judgements, problems = _judgements(corpus.folder / FOLDER)

    def corrected(entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in entries:
            try:
                yield _corrected(entry, corpus.folder)
            except RostrumError as error:
                problems.append(Problem(FOLDER, str(error)))

    entries, others = tuple(corrected(corpus.entries)), tuple(corrected(corpus.others))
    labels = {(label.speech, label.argument): label for label in corpus.labels} | _marked((*entries, *others), corpus)
    labels |= {about: label for about, label in heard(judgements).items() if _is_known(label, corpus)}
    return replace(
        corpus,
        entries=entries,
        others=others,
        labels=tuple(labels.values()),
        judgements=judgements,
        problems=(*corpus.problems, *problems),
    )


def _is_known(label: Label, corpus: Corpus) -> bool:
    """Whether the corpus has the label's argument, and its speech or the recording that the speech is a part of."""
    speeches = {entry.speech.id for entry in (*corpus.entries, *corpus.others)}
    arguments = {argument.id for argument in corpus.arguments}
    return label.argument in arguments and bool({label.speech, label.speech.rpartition("/")[0]} & speeches)


def _judgements(corrections: Path) -> tuple[tuple[Judgement, ...], list[Problem]]:
    try:
        return read_judgements(corrections)
    except RostrumError as error:
        return (), [Problem(FOLDER, str(error))]


def _marked(entries: Iterable[Entry], corpus: Corpus) -> dict[tuple[str, str], Label]:
    """The mentions that people marked as right or wrong, by speech and argument."""
    arguments = {argument.id for argument in corpus.arguments}
    return {
        (entry.speech.id, argument): Label(speech=entry.speech.id, argument=argument, mentioned=mentioned)
        for entry in entries
        if entry.correction
        for argument, mentioned in entry.correction.mentioned.items()
        if argument in arguments
    }


class StaleCorrectionError(RostrumError):
    """Somebody else has saved a version since this one was read."""


def version(folder: Path, speech: str) -> int:
    """The number of a speech's last version; 0 if it has none."""
    return max(_versions(folder / FOLDER / _name(speech)), default=0)


def last_correction(folder: Path, speech: str) -> Correction | None:
    """The last correction of a speech; None if nothing is corrected."""
    paths = _versions(folder / FOLDER / _name(speech))
    correction = _read(paths[max(paths)]) if paths else None
    return correction if correction and not correction.is_empty else None


def save_correction(folder: Path, correction: Correction, after: int | None = None) -> Path:
    """Write the correction as the next version of its speech, and return the file.

    With `after`, it is an error if that is no longer the last version.
    """
    _refuse_stale(folder, correction.speech, after)
    last = version(folder, correction.speech)
    return _write_next(folder, correction.model_copy(update={"follows": last}))


def take_back(folder: Path, speech: str, after: int | None = None) -> Correction | None:
    """Undo the last correction of a speech, and return the one that counts now.

    The version that it was based on is written again as the next version. A second call goes back one more. With
    `after`, it is an error if that is no longer the last version.
    """
    _refuse_stale(folder, speech, after)
    paths = _versions(folder / FOLDER / _name(speech))
    if not paths:
        return None
    last = _read(paths[max(paths)])
    _write_next(folder, _read(paths[last.follows]) if last.follows in paths else Correction(speech=speech))
    return last_correction(folder, speech)


def _refuse_stale(folder: Path, speech: str, after: int | None) -> None:
    last = version(folder, speech)
    if after is not None and after != last:
        raise StaleCorrectionError(f"{speech}: version {last} was saved meanwhile, elsewhere")


def _write_next(folder: Path, correction: Correction) -> Path:
    own = folder / FOLDER / _name(correction.speech)
    if not is_inside(own, folder):
        raise RostrumError(f"{own}: leads out of the corpus; remove that link")
    # A process that was killed may have left a transcript without its correction.
    path = own / f"{max((*_versions(own), *_versions(own, '.txt')), default=0) + 1:04d}.json"
    try:
        own.mkdir(parents=True, exist_ok=True)
        write_file(path.with_suffix(".txt"), correction.text.encode(), replace=False)
        write_file(path, correction.model_dump_json(indent=1).encode(), replace=False)
    except FileExistsError as error:  # another process was a moment earlier
        raise StaleCorrectionError(f"{path}: was saved meanwhile, elsewhere") from error
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _corrected(entry: Entry, folder: Path) -> Entry:
    """The entry with its correction, if it has one. Corrected words become its reference transcript."""
    paths = _versions(folder / FOLDER / _name(entry.speech.id))
    if not paths or not is_inside(last := paths[max(paths)], folder):
        return entry
    correction = _read(last)
    if correction.speech != entry.speech.id:
        raise RostrumError(f"{last}: a correction of another speech, {correction.speech}; delete it")
    if correction.is_empty:
        return entry
    reference = last.with_suffix(".txt") if correction.has_other_words else entry.reference
    if reference and correction.has_other_words and not is_inside(reference, folder):
        raise RostrumError(f"{reference}: a link that leads out of the folder; put the file itself there")
    return replace(entry, correction=correction, reference=reference)


def _versions(own: Path, suffix: str = ".json") -> dict[int, Path]:
    """The versions in a speech's folder, by number."""
    return {int(path.stem): path for path in own.glob(f"*{suffix}") if _VERSION.fullmatch(path.stem)}


def _read(path: Path) -> Correction:
    try:
        return Correction.model_validate_json(read_text(path))
    except ValidationError as error:
        wrong = error.errors()[0]["msg"]
        raise RostrumError(f"{path}: not a correction: {wrong}; delete it to use the version before") from error


def _name(speech: str) -> str:
    """A folder name for a speech, on any file system."""
    plain = re.sub(r"[^a-z0-9_]+", "-", speech.lower()).strip("-")[:_LONGEST_NAME]
    return f"{plain}-{hashlib.sha256(speech.encode()).hexdigest()[:8]}".strip("-")


# What people said of the points of a debate in the report's pages: `corrections/judgements.csv`, a line per answer.
#
# Lines are only added. Of several answers to the same question, the last one counts.


NAME = "judgements.csv"
_COLUMNS = [column.name for column in MANIFESTS[NAME]]


def read_judgements(corrections: Path) -> tuple[tuple[Judgement, ...], list[Problem]]:
    """The judgements that count, in the order in which they were given, and the lines that cannot be read."""
    manifest = read_manifest(corrections, NAME)
    if manifest is None:
        return (), []
    read, problems = [], list(manifest.problems)
    for line, row in manifest.rows:
        try:
            given = {name: cell for name, cell in row.items() if cell and name != "when"}
            read.append(Judgement.model_validate(given))
        except ValidationError as error:
            wrong = error.errors()[0]["msg"].removeprefix("Value error, ")
            problems.append(Problem(f"{corrections.name}/{NAME}", f"{wrong}; correct or delete the line", line))
    return counting(read), problems


def counting(judgements: Iterable[Judgement]) -> tuple[Judgement, ...]:
    """The judgements that count: the last one of each subject, and none of what was taken back."""
    last: dict[tuple[object, ...], Judgement] = {}
    for each in judgements:
        if each.judgement == "as found":  # of a mention, with all its passages
            taken = [one for one in last if one[:5] == each.subject[:5] and each.subject[5] in (None, one[5])]
            for one in taken:
                del last[one]
        else:
            last.pop(each.subject, None)
            last[each.subject] = each
    return tuple(last.values())


def heard(judgements: Sequence[Judgement]) -> dict[tuple[str, str], Label]:
    """What people said of arguments, as labels, by speech and argument. A wrong passage: it is heard somewhere else."""
    return {
        (each.speech, each.of): Label(speech=each.speech, argument=each.of, mentioned=each.judgement != "not heard")
        for each in judgements
        if each.kind == "mention" and each.judgement != "cannot say" and each.speech
    }


def add_judgement(folder: Path, judgement: Judgement) -> None:
    """Add a line to the judgements of a corpus. What is there stays as it is."""
    path = folder / "corrections" / NAME
    if not is_inside(path, folder):
        raise RostrumError(f"{path}: leads out of the corpus; remove that link")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:  # what is appended in one write is not mixed with what others append
            before = _before(file.seek(0, os.SEEK_END), path)
            file.write(before + _lines([_row(judgement)]))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


def _before(size: int, path: Path) -> bytes:
    """What comes before a new line: the header of a new file, or the end of a line that was cut off by a crash."""
    if not size:
        return _lines([_COLUMNS])
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return b"" if file.read(1) == b"\n" else b"\n"


def _lines(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _row(judgement: Judgement) -> list[object]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    cells = judgement.model_dump() | {"when": now}
    return ["" if cells[column] is None else cells[column] for column in _COLUMNS]
