"""Transcribes recordings one by one: finds them, decides where each transcript goes, and overwrites no other file."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from pipeline.configuration import Effective, Settings
from pipeline.corpus import AUDIO_SUFFIXES
from pipeline.corpus.files import REFERENCE_SUFFIXES, TURN_SUFFIXES, files_below, no_recordings
from pipeline.engine.transcription import Transcription, cached, transcribe_recording
from pipeline.errors import RostrumError, StorageError
from pipeline.output.transcripts import file_suffix, transcript_of
from pipeline.progress import Progress
from pipeline.system import scratch
from pipeline.system.files import not_there, write_file

STDIN = "-"
# A corpus takes a file with one of these suffixes beside a recording for what people wrote.
_TAKEN_BY_CORPORA = frozenset((*REFERENCE_SUFFIXES, *TURN_SUFFIXES))


@dataclass(frozen=True)
class Source:
    """A recording, its name, and the folder where its transcript goes by default."""

    path: Path
    name: str
    folder: Path

    @classmethod
    def of(cls, path: Path) -> "Source":
        return cls(path, path.stem, path.parent)


@dataclass(frozen=True)
class Task:
    """A recording and the file for its transcript; None for stdout.

    If there is such a file already, it is an error unless the task `replaces` it.
    """

    source: Source
    target: Path | None = None
    replaces: bool = False


def for_one_recording(given: Effective, speakers: bool) -> Settings:
    """The settings, with `diarize.mode` as `speakers` needs it. A `diarize.mode` that the user set stays."""
    if "diarize.mode" in given.origins:
        return given.settings
    values = given.settings.model_dump()
    values["diarize"]["mode"] = "full" if speakers else "vad"
    return type(given.settings).model_validate(values)


def recordings(paths: Iterable[str], stdin: IO[bytes]) -> Iterator[Source]:
    """The recordings at these paths: files, files in folders, and stdin for `-`."""
    for text in paths:
        path = Path(text)
        if text == STDIN:
            yield Source(_kept(stdin), "stdin", Path())
        elif path.is_dir():
            found = [each for each in files_below(path) if each.suffix.lower() in AUDIO_SUFFIXES]
            if not found:
                raise RostrumError(no_recordings(path))
            yield from map(Source.of, found)
        elif path.exists():
            yield Source.of(path)
        else:
            raise not_there(path)


def _kept(stdin: IO[bytes]) -> Path:
    """A temporary file with the content of stdin."""
    path = scratch.new_file(".stdin")
    with path.open("wb") as file:
        while block := stdin.read(1 << 20):
            file.write(block)
    if not path.stat().st_size:
        raise RostrumError("-: nothing came on stdin; pipe a recording into it, such as `cat talk.mp3 | rostrum ...`")
    return path


def tasks_for(
    found: Sequence[Source], form: str, folder: Path | None, *, to_stdout: bool, settings: Settings, force: bool
) -> list[Task]:
    """One task per recording. A file that exists already with another content is an error, unless `force` is given."""
    if to_stdout:
        return [Task(source) for source in found]
    tasks = [Task(source, _target(source, form, folder)) for source in found]
    twice = [target for target, count in Counter(task.target for task in tasks).items() if count > 1]
    if twice:
        both = ", ".join(str(task.source.path) for task in tasks if task.target == twice[0])
        raise RostrumError(f"{twice[0]}: would be the transcript of {both}; transcribe them into folders of their own")
    there = [task for task in tasks if task.target and os.path.lexists(task.target)]
    for task in there:
        if not force and not _is_ours(task, form, settings):
            raise _is_there(task)
    return [replace(task, replaces=task in there) for task in tasks]


def _is_there(task: Task) -> RostrumError:
    return RostrumError(f"{task.target}: exists already; --force replaces it, --out names another folder")


def _target(source: Source, form: str, folder: Path | None) -> Path:
    """The file for the transcript. Not NAME.txt, which in a corpus is the reference transcript."""
    suffix = file_suffix(form)
    name = source.name + (f".transcript{suffix}" if suffix in _TAKEN_BY_CORPORA else suffix)
    return (folder or source.folder) / name


def _is_ours(task: Task, form: str, settings: Settings) -> bool:
    """Whether the file's content is the transcript that would be written."""
    found = cached(task.source.path, settings)
    if found is None or task.target is None or not task.target.is_file():
        return False
    return task.target.read_bytes() == _content(found, task, form)


def carry_out(task: Task, form: str, settings: Settings, progress: Progress) -> bytes:
    """Transcribe the recording, write the transcript, and return its content."""
    content = _content(transcribe_recording(task.source.path, settings, progress), task, form)
    if task.target:
        try:
            task.target.parent.mkdir(parents=True, exist_ok=True)
            write_file(task.target, content, replace=task.replaces)
        except FileExistsError as error:  # somebody wrote it since this recording was begun
            raise _is_there(task) from error
        except OSError as error:
            raise StorageError(f"{task.target}: cannot write it: {error.strerror}; the transcript is kept") from error
    return content


def _content(found: Transcription, task: Task, form: str) -> bytes:
    content = transcript_of(found, task.source.path, task.source.name).to(form)
    return content.encode() if isinstance(content, str) else content
