"""Records that are parts of the records of several stages."""

from pipeline.records.base import Record, Seconds
from pipeline.records.spans import Timed
from pipeline.records.speech import Sentence


class Passage(Timed, Record):
    """What somebody said, and when."""

    text: str
    start: Seconds
    end: Seconds

    @classmethod
    def of(cls, *sentences: Sentence) -> "Passage":
        """These sentences, one after the other, as one passage."""
        return cls(
            text=" ".join(each.text for each in sentences),
            start=sentences[0].start,
            end=max(each.end for each in sentences),
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
