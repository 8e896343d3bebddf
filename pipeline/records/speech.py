"""The records that stages make from one recording: audio, turns, words, sentences, prosody, word errors."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pipeline.arrays import Samples
from pipeline.records.base import Attachment, Record, Seconds
from pipeline.records.spans import Timed

SAMPLE_RATE = 16_000
Count = Annotated[int, Field(ge=0)]


class Recording(Record):
    """16 kHz mono audio, and measurements of the original."""

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
        """Samples from `start` to `end` seconds. Only these are read from the file."""
        import soundfile

        stop = None if end is None else round(end * SAMPLE_RATE)
        samples, _ = soundfile.read(self.audio.path, start=round(start * SAMPLE_RATE), stop=stop, dtype="float32")
        return np.asarray(samples, dtype=np.float32)


class Turn(Timed, Record):
    """Somebody speaks from start to end. `speaker` is None if it is not known who."""

    start: Seconds
    end: Seconds
    speaker: str | None = None


class Turns(Record):
    """Who spoke when. `turns` may overlap. `exclusive` turns do not; by them, words are assigned to speakers."""

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
    """A part that the recogniser decoded at once, with its own measures of confidence."""

    start: Seconds
    end: Seconds
    temperature: float
    mean_logprob: float
    no_speech_probability: float
    compression_ratio: float


class Transcript(Record):
    """Words in the order they were spoken.

    If a person corrected them, `recognised` are the words before the correction, and `sentence_ends` has for each
    sentence the number of words before its end. (Without a correction, these fields are no part of the digest: they
    were added later.)
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
        """The text as it was recognised, without corrections."""
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
    """A transcript cut into sentences. Every word is in exactly one of them."""

    sentences: tuple[Sentence, ...]
    method: str


class Measures(Timed, Record):
    """Features of a part of a speech: transcript words `first` up to, not including, `last`.

    `normalised` has each value in standard deviations from the mean of the speaker's parts. A feature that is not
    defined here is None in `values`, and `reasons` says why. If there are too few parts, or all are equal, `normalised`
    is None.
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
    """How much a word is stressed. `pitch`, `energy` and `duration` are in standard deviations from the speaker's mean.

    `emphasis` is the mean of the three.
    """

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

    `contours` is an .npz with one array per contour and one frame every 10 ms, NaN where a value is not defined.
    `egemaps`, if a setting asks for it, is an .npz with the features of the eGeMAPS set, one row per sentence.
    """

    sentences: tuple[Measures, ...]
    groups: tuple[Measures, ...]
    words: tuple[WordEmphasis, ...]
    speakers: tuple[SpeakerNorm, ...]
    contours: Attachment
    egemaps: Attachment | None = None


class ErrorCounts(Record):
    """Errors of a recogniser. The rate of several speeches is that of the sum of their counts, not the mean of rates.

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
        """The error rate; None if the reference is empty."""
        return self.errors / self.length if self.length else None

    def __add__(self, other: "ErrorCounts") -> "ErrorCounts":
        return ErrorCounts(
            hits=self.hits + other.hits,
            substitutions=self.substitutions + other.substitutions,
            deletions=self.deletions + other.deletions,
            insertions=self.insertions + other.insertions,
        )


class AlignedChunk(Record):
    """A part of the alignment: a range of reference words, and the range of hypothesis words beside it."""

    type: Literal["equal", "substitute", "delete", "insert"]
    reference: tuple[int, int]
    hypothesis: tuple[int, int]


class WordErrors(Record):
    """A transcript compared with its reference, after normalising both.

    `mer` and `wil` are match error rate and word information lost. A rate is None if the reference is empty.
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
