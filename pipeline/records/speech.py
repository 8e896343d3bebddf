"""What several stages share: turns, words, sentences, passages, counts of errors."""

from typing import Annotated

from pydantic import Field

from pipeline.records.base import Record, Seconds, Timed

# Before what a model translated, wherever it is shown.
TRANSLATED = "[translated]"
# Stands for a sentence that the translation leaves out.
UNTRANSLATED = "…"


class Sentence(Timed, Record):
    """A sentence and the words it is made of: transcript words `first` up to, not including, `last`.

    `translation` is what a model says of it in English, None if nothing was translated.
    """

    text: str
    start: Seconds
    end: Seconds
    first: int
    last: int
    speaker: str | None = None
    translation: str | None = None

    @property
    def translation_line(self) -> str:
        """The translation as it is shown beside the sentence; empty if there is none."""
        return f"{TRANSLATED} {self.translation}" if self.translation else ""

    @property
    def is_translated(self) -> bool:
        """Whether the text is its translation, as the stages of arguments read it."""
        return self.translation is not None and self.text in (self.translation, UNTRANSLATED)


SAMPLE_RATE = 16_000
Count = Annotated[int, Field(ge=0)]


class Turn(Timed, Record):
    """Somebody speaks from start to end. `speaker` is None if it is not known who."""

    start: Seconds
    end: Seconds
    speaker: str | None = None


class Word(Timed, Record):
    """One word as the recogniser wrote it, with its time."""

    text: str
    start: Seconds
    end: Seconds
    probability: float | None = None
    speaker: str | None = None


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


# Records that are parts of the records of several stages.


class Passage(Timed, Record):
    """What somebody said, and when. `translated` says that the text is a model's translation of it into English."""

    text: str
    start: Seconds
    end: Seconds
    translated: bool = False

    @property
    def quoted(self) -> str:
        """The text as it is shown to people, with a mark if it was translated."""
        return f"{TRANSLATED} {self.text}" if self.translated else self.text

    @classmethod
    def of(cls, *sentences: Sentence) -> "Passage":
        """These sentences, one after the other, as one passage."""
        return cls(
            text=" ".join(each.text for each in sentences),
            start=sentences[0].start,
            end=max(each.end for each in sentences),
            translated=any(each.is_translated for each in sentences),
        )


class LlmUse(Record):
    """The use of a large language model for a record: the number of its answers, and their tokens.

    Cached answers count, too. `cost` is by the prices in the settings, None without any.
    """

    model: str
    answers: int
    sent_tokens: int
    answered_tokens: int
    cost: float | None

    def report_line(self) -> str:
        """The use in one line, for a person."""
        cost = "" if self.cost is None else f", cost {self.cost:g}"
        answers = "1 answer" if self.answers == 1 else f"{self.answers} answers"
        return f"{self.model}: {answers}, {self.sent_tokens} + {self.answered_tokens} tokens{cost}"
