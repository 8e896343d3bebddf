"""The transcript of one recording: as text, in any export format of one file, and as a player in a notebook."""

import base64
import mimetypes
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.engine.transcription import Transcription
from pipeline.errors import RostrumError
from pipeline.output.annotation.paragraphs import paragraphs
from pipeline.output.annotation.speech import AnnotatedSpeech
from pipeline.output.exports import FORMATS, FolderFormat, RunFormat, SpeechFormat, export_format
from pipeline.output.exports.txt import txt
from pipeline.output.formatting import clock
from pipeline.records import Word
from pipeline.system import scratch

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

        return pd.DataFrame([each.model_dump() for each in self.speech.words], columns=list(_WORD_COLUMNS))

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
        found = paragraphs(self.speech)
        starts = [word.start for word in self.speech.words]
        edges = [bisect_left(starts, each.start) for each in found[1:]]
        for paragraph, (first, last) in zip(found, pairwise([0, *edges, len(starts)]), strict=False):
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
        others = (each for each in FORMATS.names() if not isinstance(export_format(each), FolderFormat))
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
    )
    return TranscribedSpeech(speech, audio)


def _word(word: Word) -> str:
    play = f"var a=this.closest('div').querySelector('audio');if(a){{a.currentTime={word.start:g};a.play()}}"
    return f'<span style="cursor:pointer" title="{clock(word.start)}" onclick="{play}">{escape(word.text)}</span>'


def _playable(path: Path) -> tuple[str, bytes]:
    """(media type, content) that a browser plays: the file itself if it is small, else Opus."""
    if path.suffix.lower() in _PLAYED and path.stat().st_size <= _LARGEST_AS_IT_IS:
        return mimetypes.guess_type(path.name)[0] or "audio/mpeg", path.read_bytes()
    from pipeline.output.report.audio import write_opus
    from pipeline.records import AudioFile
    from pipeline.settings.ingest import IngestSettings
    from pipeline.stages.ingest import ingest

    recording, small = ingest(AudioFile(path=path), settings=IngestSettings()), scratch.new_file(".ogg")
    try:
        write_opus(recording, small)
        return "audio/ogg", small.read_bytes()
    finally:
        small.unlink(missing_ok=True)
        for attachment in recording.attachments():
            attachment.discard()
