"""Everything that flows between stages: frozen, typed, JSON out and in.

A record knows its own digest, which is what fingerprints are made of. Arrays do not live in records: they are
attachments, files that lie beside the artifact and are opened when somebody needs them.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

SAMPLE_RATE = 16_000

Stance = Literal["pro", "con"]
Seconds = Annotated[float, Field(ge=0)]


class Record(BaseModel):
    """The base of everything a stage takes or makes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def digest(self) -> str:
        """sha256 of the record's content: equal content, equal digest, on any machine."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def attachments(self) -> Iterator["Attachment"]:
        """The files that belong to this record."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, Attachment):
                yield value


class Attachment(Record):
    """A file beside an artifact, named for its content, so that a name never means two contents."""

    suffix: str
    sha256: str
    _path: Path | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, path: Path) -> "Attachment":
        attachment = cls(suffix=path.suffix, sha256=file_digest(path))
        attachment._path = path
        return attachment

    @property
    def path(self) -> Path:
        """Where the file is on this machine."""
        if self._path is None:
            raise ValueError("this attachment was read without its store; load the artifact through Store.load")
        return self._path

    def located(self, path: Path) -> None:
        """The store says where it keeps the file."""
        self._path = path


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ---------------------------------------------------------------- what a corpus gives


class Motion(Record):
    """What a debate is about."""

    id: str
    text: str


class Argument(Record):
    """A known argument on a motion: a claim, its text, and the argument that rebuts it."""

    id: str
    motion: str
    stance: Stance
    title: str
    text: str = ""
    counter: str | None = None


class Arguments(Record):
    """The known arguments of one motion."""

    items: tuple[Argument, ...]


class Label(Record):
    """What people said of one speech and one argument: whether it is mentioned, how, and by how many votes."""

    speech: str
    argument: str
    mentioned: bool
    how: Literal["explicit", "implicit"] | None = None
    votes_yes: int | None = None
    votes_no: int | None = None


class Speech(Record):
    """One recording of a corpus and what is known of it before anything is computed."""

    id: str
    motion: str | None = None
    stance: Stance | None = None
    speakers: tuple[str, ...] = ()
    answers: str | None = None
    response: Literal["explicit", "implicit"] | None = None


class AudioFile(Record):
    """The recording as it lies in the corpus. Only its content counts: a moved file is the same file."""

    path: Path
    sha256: str

    def digest(self) -> str:
        return self.sha256


class Reference(Record):
    """What was really said, as a person wrote it down."""

    text: str


class GivenTranscript(Record):
    """A transcript that came with the corpus, from somebody else's recogniser."""

    words: tuple["Word", ...]
    source: str


class GivenTurns(Record):
    """Speaker turns that came with the corpus."""

    turns: tuple["Turn", ...]


class References(Record):
    """Texts that say what a good speech on this motion would cover."""

    texts: tuple[str, ...]


# ---------------------------------------------------------------- what stages make


class Recording(Record):
    """16 kHz mono audio and what was measured while decoding it."""

    audio: Attachment
    duration: Seconds
    source_sha256: str
    source_rate: int
    source_channels: int
    loudness_lufs: float | None
    clipped_share: float
    snr_db: float | None

    def samples(self, start: float = 0.0, end: float | None = None) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Samples from `start` to `end` seconds, read from the file: only what is asked for is in memory."""
        import soundfile

        stop = None if end is None else round(end * SAMPLE_RATE)
        samples, _ = soundfile.read(self.audio.path, start=round(start * SAMPLE_RATE), stop=stop, dtype="float32")
        return np.asarray(samples, dtype=np.float32)


class Turn(Record):
    """Somebody speaks from start to end. `speaker` is None where only speech was found, not who."""

    start: Seconds
    end: Seconds
    speaker: str | None = None


class Turns(Record):
    """Who spoke when. `turns` may overlap; `exclusive` do not: they are what words are assigned by."""

    turns: tuple[Turn, ...]
    exclusive: tuple[Turn, ...]
    speakers: tuple[str, ...]
    method: str


class Word(Record):
    """One word as the recogniser wrote it, with its time."""

    text: str
    start: Seconds
    end: Seconds
    probability: float | None = None
    speaker: str | None = None


class Segment(Record):
    """A stretch the recogniser decoded at once, with its own doubts about it."""

    start: Seconds
    end: Seconds
    temperature: float
    mean_logprob: float
    no_speech_probability: float
    compression_ratio: float


class Transcript(Record):
    """Words in the order they were spoken."""

    words: tuple[Word, ...]
    language: str
    recogniser: str
    device: str
    punctuated: bool
    segments: tuple[Segment, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


class Sentence(Record):
    """A sentence and the words it is made of: transcript words `first` up to, not including, `last`."""

    text: str
    start: Seconds
    end: Seconds
    first: int
    last: int
    speaker: str | None = None


class Sentences(Record):
    """A transcript cut into sentences: every word in exactly one, in order."""

    sentences: tuple[Sentence, ...]
    method: str
