"""What the stages make of one recording: audio, turns, words, sentences."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pipeline.arrays import Samples
from pipeline.records.base import Attachment, Record, Seconds
from pipeline.records.spans import Timed

SAMPLE_RATE = 16_000
Count = Annotated[int, Field(ge=0)]


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

    def figures(self) -> dict[str, float]:
        return {"duration": self.duration}

    def samples(self, start: float = 0.0, end: float | None = None) -> Samples:
        """Samples from `start` to `end` seconds, read from the file: only what is asked for is in memory."""
        import soundfile

        stop = None if end is None else round(end * SAMPLE_RATE)
        samples, _ = soundfile.read(self.audio.path, start=round(start * SAMPLE_RATE), stop=stop, dtype="float32")
        return np.asarray(samples, dtype=np.float32)


class Turn(Timed, Record):
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


class Word(Timed, Record):
    """One word as the recogniser wrote it, with its time."""

    text: str
    start: Seconds
    end: Seconds
    probability: float | None = None
    speaker: str | None = None


class Segment(Timed, Record):
    """A stretch the recogniser decoded at once, with its own doubts about it."""

    start: Seconds
    end: Seconds
    temperature: float
    mean_logprob: float
    no_speech_probability: float
    compression_ratio: float


class Transcript(Record):
    """Words in the order they were spoken.

    Where a person corrected them, `recognised` are the words before that, and `sentence_ends` has for each sentence how
    many words stand before its end. A transcript that nobody corrected has the same digest as before there were any.
    """

    words: tuple[Word, ...]
    language: str
    recogniser: str
    device: str
    punctuated: bool
    segments: tuple[Segment, ...] = ()
    recognised: tuple[Word, ...] | None = Field(None, exclude_if=lambda value: value is None)
    sentence_ends: tuple[int, ...] | None = Field(None, exclude_if=lambda value: value is None)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def is_corrected(self) -> bool:
        """Whether a person corrected the words, their speakers or the sentences."""
        return self.recognised is not None

    @property
    def recognised_text(self) -> str:
        """What the recogniser wrote, whatever a person made of it."""
        return self.text if self.recognised is None else " ".join(word.text for word in self.recognised)

    def figures(self) -> dict[str, float]:
        return {"words": len(self.words)}


class Sentence(Timed, Record):
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


class Measures(Timed, Record):
    """Features of a stretch of speech: transcript words `first` up to, not including, `last`.

    `normalised` has each value in standard deviations from the mean of its speaker's stretches. A feature that is not
    defined here is None in `values`, and `reasons` says why; too few or all equal stretches leave `normalised` None.
    """

    text: str
    start: Seconds
    end: Seconds
    first: int
    last: int
    speaker: str | None
    values: dict[str, float | None]
    normalised: dict[str, float | None]
    reasons: dict[str, str]


class WordEmphasis(Record):
    """How much a word is stressed: standard deviations from its speaker's mean, and the mean of the three."""

    emphasis: float | None
    pitch: float | None
    energy: float | None
    duration: float | None
    reason: str | None = None


class SpeakerNorm(Record):
    """A speaker's mean and standard deviation of each feature, over their sentences."""

    speaker: str | None
    count: int
    mean: dict[str, float]
    deviation: dict[str, float]


class Prosody(Record):
    """How a speech sounds: features of each sentence and of each group of words between pauses, emphasis of each word.

    `contours` is an .npz with one array per contour, a frame every 10 ms, NaN where a value is not defined. `egemaps`,
    if a setting asks for it, is an .npz with the features of the GeMAPS set, one row per sentence.
    """

    sentences: tuple[Measures, ...]
    groups: tuple[Measures, ...]
    words: tuple[WordEmphasis, ...]
    speakers: tuple[SpeakerNorm, ...]
    contours: Attachment
    egemaps: Attachment | None = None


class ErrorCounts(Record):
    """Errors of a recogniser. They add up: a rate over several speeches is that of the sum, never a mean of rates.

    >>> total = ErrorCounts(hits=8, deletions=2) + ErrorCounts(hits=10, insertions=1)
    >>> total.errors, total.length, total.rate
    (3, 20, 0.15)
    """

    hits: Count = 0
    substitutions: Count = 0
    deletions: Count = 0
    insertions: Count = 0

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def length(self) -> int:
        """Words (or characters) of the reference."""
        return self.hits + self.substitutions + self.deletions

    @property
    def rate(self) -> float | None:
        """The error rate; undefined where the reference is empty."""
        return self.errors / self.length if self.length else None

    def __add__(self, other: "ErrorCounts") -> "ErrorCounts":
        return ErrorCounts(
            hits=self.hits + other.hits,
            substitutions=self.substitutions + other.substitutions,
            deletions=self.deletions + other.deletions,
            insertions=self.insertions + other.insertions,
        )


class AlignedChunk(Record):
    """A run of the alignment: reference words of one range stand against hypothesis words of another."""

    type: Literal["equal", "substitute", "delete", "insert"]
    reference: tuple[int, int]
    hypothesis: tuple[int, int]


class WordErrors(Record):
    """A transcript against its reference, after normalising both.

    `mer` and `wil` are match error rate and word information lost; a rate is None where the reference is empty.
    """

    normaliser: str
    words: ErrorCounts
    characters: ErrorCounts
    wer: float | None
    mer: float | None
    wil: float | None
    cer: float | None
    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    alignment: tuple[AlignedChunk, ...]

    def figures(self) -> dict[str, float]:
        return self.words.model_dump()
