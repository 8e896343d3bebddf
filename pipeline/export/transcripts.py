"""The transcript of one recording: as text, in any export format of one file, and as a player in a notebook."""

import base64
import mimetypes
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pipeline.corpus.files import AUDIO_SUFFIXES, REFERENCE_SUFFIXES, TURN_SUFFIXES, files_below, no_recordings
from pipeline.errors import RostrumError, StorageError
from pipeline.export.formats import FORMATS, FolderFormat, RunFormat, SpeechFormat, export_format
from pipeline.export.formats.documents import paragraphs, txt
from pipeline.export.speech import AnnotatedSpeech
from pipeline.ingest import IngestSettings
from pipeline.progress import Progress
from pipeline.records import Word
from pipeline.report.formatting import clock
from pipeline.run.configuration import Effective, Settings
from pipeline.run.transcription import Transcription, is_recognised, transcribe_recording
from pipeline.system import scratch
from pipeline.system.files import not_there, write_file

if TYPE_CHECKING:
    import pandas as pd


# In bytes. A larger recording is converted to Opus for a notebook.
_LARGEST_AS_IT_IS = 4_000_000
# The suffixes of files that browsers can play.
_PLAYED = frozenset({".wav", ".flac", ".mp3", ".m4a", ".ogg", ".oga", ".opus", ".webm", ".mp4"})
_WORD_COLUMNS = ("start", "end", "text", "probability", "speaker")


@dataclass(frozen=True, repr=False)
class TranscribedSpeech:
    """The transcript of one recording. A notebook shows it with a player: a click on a word plays it.

    `speech` has words, sentences and speaker turns with their times; `audio` is the recording.
    """

    speech: AnnotatedSpeech
    audio: Path | None = None

    @cached_property
    def text(self) -> str:
        """The transcript as plain text in paragraphs. If there are several speakers, they are named."""
        return txt(self.speech)

    @property
    def duration(self) -> float:
        """The length of the recording in seconds."""
        return self.speech.duration

    @property
    def language(self) -> str:
        """The code of the language, such as en."""
        return self.speech.language

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in the order in which they first speak; empty unless `speakers` was given."""
        return self.speech.speakers

    @cached_property
    def words(self) -> "pd.DataFrame":
        """One row per word: start and end (seconds), text, probability, speaker."""
        import pandas as pd

        return pd.DataFrame([word.model_dump() for word in self.speech.words], columns=list(_WORD_COLUMNS))

    def to(self, name: str) -> str | bytes:
        """The transcript in an export format of one file, such as 'srt', 'vtt', 'json', 'docx' or 'textgrid'.

        >>> TranscribedSpeech(AnnotatedSpeech("empty", 0.0, (), ())).to("srt")
        ''
        """
        form = _one_file(name)
        return form.content(self.speech) if isinstance(form, SpeechFormat) else form.content([self.speech])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<TranscribedSpeech {self.speech.id}: {clock(self.duration)}, {len(self.speech.words)} words>"

    def _repr_html_(self) -> str:
        return f'<div style="max-width:50em">{self._player()}{"".join(self._paragraphs())}</div>'

    def _player(self) -> str:
        title = f"<p><b>{escape(self.speech.id)}</b> ({clock(self.duration)})</p>"
        if self.audio is None or not self.audio.is_file():
            return title
        kind, content = _playable(self.audio)
        data = base64.b64encode(content).decode()
        return f'{title}<audio controls style="width:100%" src="data:{kind};base64,{data}"></audio>'

    def _paragraphs(self) -> Iterator[str]:
        """The paragraphs as HTML, with names if there are several speakers. A click on a word plays it."""
        blocks = paragraphs(self.speech)
        starts = [word.start for word in self.speech.words]
        edges = [bisect_left(starts, block.start) for block in blocks[1:]]
        for paragraph, (first, last) in zip(blocks, pairwise([0, *edges, len(starts)]), strict=False):
            name = f"<b>{escape(paragraph.speaker)}</b> " if paragraph.speaker else ""
            yield f"<p>{name}{' '.join(map(_word, self.speech.words[first:last]))}</p>"


def file_suffix(name: str) -> str:
    """The suffix of a format's file. A format that makes several files of a recording is an error."""
    form = _one_file(name)
    return form.suffix if isinstance(form, SpeechFormat) else f".{form.file.partition('.')[2]}"


def is_text(name: str) -> bool:
    """Whether the file of a format is text."""
    return isinstance(TranscribedSpeech(AnnotatedSpeech("", 0.0, (), ())).to(name), str)


def _one_file(name: str) -> SpeechFormat | RunFormat:
    """The format of that name. It is an error if it makes several files of a recording."""
    form = export_format(name)
    if isinstance(form, FolderFormat):
        others = (name for name in FORMATS.names() if not isinstance(export_format(name), FolderFormat))
        raise RostrumError(f"{name} makes several files; for one recording there are {', '.join(others)}")
    return form


def transcript_of(transcription: Transcription, audio: Path, name: str = "") -> TranscribedSpeech:
    """The transcription of a recording, to show and export. Its name is `name`, or that of the file."""
    heard = transcription.transcript
    speech = AnnotatedSpeech(
        id=name or audio.stem,
        duration=transcription.duration,
        words=heard.words,
        sentences=transcription.sentences.sentences,
        turns=transcription.turns.turns,
        exclusive=transcription.turns.exclusive,
        facts=(clock(transcription.duration),),
        language=heard.language,
        recogniser=heard.recogniser,
        doubt=heard.doubt,
        translated_by=transcription.sentences.translated_by,
    )
    return TranscribedSpeech(speech, audio)


def _word(word: Word) -> str:
    play = f"var a=this.closest('div').querySelector('audio');if(a){{a.currentTime={word.start:g};a.play()}}"
    return f'<span style="cursor:pointer" title="{clock(word.start)}" onclick="{play}">{escape(word.text)}</span>'


def _playable(path: Path) -> tuple[str, bytes]:
    """(media type, content) that a browser plays: the file itself if it is small, else Opus."""
    if path.suffix.lower() in _PLAYED and path.stat().st_size <= _LARGEST_AS_IT_IS:
        return mimetypes.guess_type(path.name)[0] or "audio/mpeg", path.read_bytes()
    from pipeline.ingest import ingested
    from pipeline.report.audio import write_opus

    small = scratch.new_file(".ogg")
    try:
        with ingested(path) as recording:
            write_opus(recording, small)
        return "audio/ogg", small.read_bytes()
    finally:
        small.unlink(missing_ok=True)


# Transcribes recordings one by one: finds them, decides where each transcript goes, and overwrites no other file.

STDIN = "-"
# In bytes. An hour on stdin may have so many: those of uncompressed stereo at 48 kHz and 24 bit.
_LARGEST_HOUR = 1_040_000_000
# A corpus takes a file with one of these suffixes beside a recording for what people wrote.
_TAKEN_BY_CORPORA = frozenset((*REFERENCE_SUFFIXES, *TURN_SUFFIXES))


@dataclass(frozen=True)
class Source:
    """A recording, its name, and the folder where its transcript goes by default.

    `given` is what the user calls it, if that is not its path.
    """

    path: Path
    name: str
    folder: Path
    given: str = ""

    @classmethod
    def at(cls, path: Path) -> "Source":
        return cls(path, path.stem, path.parent)

    def named(self, message: str) -> str:
        """A message about the recording, with the name that the user gave it."""
        return message.replace(str(self.path), self.given or str(self.path))


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


def recordings(paths: Iterable[str], stdin: IO[bytes] | None, settings: Settings) -> Iterator[Source]:
    """The recordings at these paths: files, files in folders, and stdin for `-`."""
    for text in paths:
        path = Path(text)
        if text == STDIN:
            yield Source(_kept(stdin, settings), "stdin", Path(), STDIN)
        elif path.is_dir():
            recordings = [file for file in files_below(path) if file.suffix.lower() in AUDIO_SUFFIXES]
            if not recordings:
                raise RostrumError(no_recordings(path))
            yield from map(Source.at, recordings)
        elif path.exists():
            yield Source.at(path)
        else:
            raise not_there(path)


def _kept(stdin: IO[bytes] | None, settings: Settings) -> Path:
    """A temporary file with the content of stdin, which may never end."""
    ingesting = settings.own(IngestSettings)
    path, size, most = scratch.new_file(".stdin"), 0, round(ingesting.max_hours * _LARGEST_HOUR)
    try:
        with path.open("wb") as file:
            while stdin is not None and size <= most and (block := stdin.read(1 << 20)):
                size += file.write(block)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise StorageError(f"-: stdin cannot be kept in {path.parent}: {error.strerror}") from error
    if size > most:
        path.unlink()
        raise RostrumError(f"-: more than {most:,} bytes came on stdin; raise ingest.max_hours")
    if not size:
        raise RostrumError("-: nothing came on stdin; pipe a recording into it, such as `cat talk.mp3 | rostrum ...`")
    return path


def tasks_for(
    sources: Sequence[Source], form: str, folder: Path | None, *, to_stdout: bool, settings: Settings, force: bool
) -> list[Task]:
    """One task per recording. A file that exists already with another content is an error, unless `force` is given."""
    if to_stdout:
        return [Task(source) for source in sources]
    tasks = [Task(source, _target(source, form, folder)) for source in sources]
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
    if task.target is None or not task.target.is_file() or not is_recognised(task.source.path, settings):
        return False
    return task.target.read_bytes() == _content(transcribe_recording(task.source.path, settings), task, form)


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


def _content(transcription: Transcription, task: Task, form: str) -> bytes:
    content = transcript_of(transcription, task.source.path, task.source.name).to(form)
    return content.encode() if isinstance(content, str) else content
