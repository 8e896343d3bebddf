"""The record of `transcribe`."""

from collections.abc import Iterable
from typing import NamedTuple

from pipeline.records import Record, Seconds, Timed, Word

# A word whose confidence is below this is doubtful.
DOUBTFUL = 0.5
# Clear English is at -0.2, English that is hard to hear above -0.6; German that was heard as English is below -0.9.
_IMPROBABLE = -0.8
_REPETITIVE = 2.4
OTHER_LANGUAGE = "another language than English needs transcribe.model=small"


class Segment(Timed, Record):
    """A part that the recogniser decoded at once, with its own measures of confidence."""

    start: Seconds
    end: Seconds
    temperature: float
    mean_logprob: float
    no_speech_probability: float
    compression_ratio: float

    @property
    def is_poor(self) -> bool:
        """Whether its text is improbable or repeats itself."""
        return self.mean_logprob < _IMPROBABLE or self.compression_ratio > _REPETITIVE


class Doubt(NamedTuple):
    """How many words are doubtful, of how many.

    A word is doubtful if its confidence is below 0.5, or if it is in a segment that is improbable or repeats itself.
    """

    doubtful: int
    words: int

    @classmethod
    def of(cls, words: Iterable[Word], segments: Iterable[Segment]) -> "Doubt":
        """The doubt about these words, which were decoded in these segments."""
        poor = [(each.start, each.end) for each in segments if each.is_poor]
        doubts = [
            (word.probability is not None and word.probability < DOUBTFUL)
            or any(start <= word.middle <= end for start, end in poor)
            for word in words
        ]
        return cls(sum(doubts), len(doubts))

    @property
    def prevails(self) -> bool:
        """Whether most words are doubtful."""
        return 2 * self.doubtful > self.words

    def __str__(self) -> str:
        return f"{self.doubtful} of {self.words} words are doubtful"


class Translation(Record):
    """A speech in English as a model wrote it: words, whose times are near those of what was said, and the model."""

    words: tuple[Word, ...]
    recogniser: str


class Transcript(Record):
    """Words in the order they were spoken.

    `language` is a code such as "en", or "und" if nobody has named the language of a given transcript. If the model
    detected it, `language_probability` says how sure it was.
    `keeps_hesitations` says whether "um" and "uh" are among the words if they were spoken.

    If a person corrected the words, `recognised` are the words before the correction, and `sentence_ends` has for each
    sentence the number of words before its end. `from_reference` says that the words are those of the reference
    transcript; `recognised` are then the words whose times they have, None if there are none. `translation` is the
    speech in English, if it is in another language and `transcribe.translate` is set.
    """

    words: tuple[Word, ...]
    language: str
    recogniser: str
    device: str
    punctuated: bool
    segments: tuple[Segment, ...] = ()
    keeps_hesitations: bool = False
    recognised: tuple[Word, ...] | None = None
    sentence_ends: tuple[int, ...] | None = None
    from_reference: bool = False
    language_probability: float | None = None
    translation: Translation | None = None

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def is_corrected(self) -> bool:
        """Whether a person corrected the words, their speakers or the sentences."""
        return self.recognised is not None and not self.from_reference

    @property
    def recognised_text(self) -> str:
        """The text as it was recognised, without corrections."""
        return self.text if self.recognised is None else " ".join(word.text for word in self.recognised)

    @property
    def doubt(self) -> str | None:
        """Why the transcript is not to be trusted: most of its words are doubtful. None if they are not."""
        doubt = self._doubt()
        if not doubt.prevails:
            return None
        return f"{doubt}; {OTHER_LANGUAGE}" if ".en" in self.recogniser else str(doubt)

    def used(self, model: str) -> bool:
        return self.device != "none"

    def figures(self) -> dict[str, float]:
        doubt = self._doubt()
        return {"words": doubt.words, "doubtful": doubt.doubtful / doubt.words if doubt.words else 0.0}

    def _doubt(self) -> Doubt:
        """What is doubtful of the words; nothing of those that a person wrote."""
        return Doubt(0, len(self.words)) if self.recognised is not None else Doubt.of(self.words, self.segments)
