"""The speeches on one motion, and which of them are known to answer which."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.argue.counter.question import Question
from pipeline.argue.counter.ranker import Mask
from pipeline.argue.counter.speech_text import SpeechText

Kind = Literal["explicit", "implicit"]


@dataclass(frozen=True, eq=False)
class Debate:
    """Supporting and opposing speeches; `answers` has a row a supporting speech, a column an opposing one.

    `kinds` says of each opposing speech how it answers, where that is known.
    """

    motion: str
    supporting: tuple[SpeechText, ...]
    opposing: tuple[SpeechText, ...]
    answers: Mask
    kinds: tuple[Kind | None, ...]

    @property
    def speeches(self) -> tuple[SpeechText, ...]:
        return self.supporting + self.opposing

    def only(self, kind: Kind) -> "Debate":
        """The same without answers of another kind; speeches that answer nobody stay, as candidates."""
        kept = [column for column, known in enumerate(self.kinds) if known == kind or not self.answers[:, column].any()]
        return Debate(
            self.motion,
            self.supporting,
            tuple(self.opposing[column] for column in kept),
            self.answers[:, kept],
            tuple(self.kinds[column] for column in kept),
        )


def allowed_pairs(supporting: Sequence[SpeechText], opposing: Sequence[SpeechText]) -> Mask:
    """Nobody answers their own speech: every pair but those with a speaker in common."""
    pairs = [[not _speakers(one) & _speakers(other) for other in opposing] for one in supporting]
    return np.array(pairs, dtype=np.bool_).reshape(len(supporting), len(opposing))


def questions(debates: Iterable[Debate]) -> list[Question]:
    """A question a supporting speech that has an answer among at least two candidates."""
    found = []
    for debate in debates:
        allowed = allowed_pairs(debate.supporting, debate.opposing)
        for row, speech in enumerate(debate.supporting):
            columns = np.flatnonzero(allowed[row])
            correct = debate.answers[row, columns]
            if len(columns) > 1 and correct.any():
                found.append(Question(speech, tuple(debate.opposing[column] for column in columns), correct))
    return found


def answer_pairs(debates: Iterable[Debate]) -> list[tuple[SpeechText, SpeechText]]:
    """Every supporting speech with its answer."""
    return [
        (debate.supporting[row], debate.opposing[column])
        for debate in debates
        for row, column in np.argwhere(debate.answers)
    ]


def _speakers(speech: SpeechText) -> set[str]:
    return {name.casefold() for name in speech.speakers}
