"""The record of `transcribe`."""

from pipeline.records import Record, Seconds, Timed, Word

# The code of ISO 639-2 for a language that nobody has named.
UNKNOWN_LANGUAGE = "und"


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

    `language` is a code such as "en", or "und" if nobody has named the language of a given transcript.
    `keeps_hesitations` says whether "um" and "uh" are among the words if they were spoken.

    If a person corrected the words, `recognised` are the words before the correction, and `sentence_ends` has for each
    sentence the number of words before its end. `from_reference` says that the words are those of the reference
    transcript; `recognised` are then the words whose times they have, None if there are none.
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

    def figures(self) -> dict[str, float]:
        return {"words": len(self.words)}
