"""The speeches on one motion, who may have answered whom, and who is known to have done so."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Mask
from pipeline.records import ResponseKind


@dataclass(frozen=True, eq=False)
class AnsweredDebate:
    """The speeches on a motion, who may have answered whom (`allowed`), and who has (`answers`).

    Both have one row per supporting speech and one column per opposing one. `kinds` says how each opposing speech
    answers, where that is known.
    """

    motion: str
    supporting: tuple[SpeechText, ...]
    opposing: tuple[SpeechText, ...]
    allowed: Mask
    answers: Mask
    kinds: tuple[ResponseKind | None, ...]

    @property
    def speeches(self) -> tuple[SpeechText, ...]:
        return self.supporting + self.opposing

    @property
    def judged(self) -> Mask:
        """The opposing speeches that may answer somebody here."""
        return np.asarray(self.allowed.any(axis=0))

    @property
    def answers_somebody(self) -> Mask:
        """The opposing speeches that answer somebody here."""
        return np.asarray((self.answers & self.allowed).any(axis=0))

    def asked(self) -> Iterator[tuple[int, Mask, Mask]]:
        """(row, its candidates, which are right) of every speech with an answer among two candidates or more."""
        for row, allowed in enumerate(self.allowed):
            correct = self.answers[row, allowed]
            if correct.any() and len(correct) > 1:
                yield row, allowed, correct

    def chosen(self, candidates: Mask) -> tuple[SpeechText, ...]:
        """These of the opposing speeches."""
        return tuple(self.opposing[column] for column in np.flatnonzero(candidates))


@dataclass(frozen=True, eq=False)
class Question:
    """A supporting speech, the candidates that may answer it, and which of them do (`correct`)."""

    supporting: SpeechText
    candidates: tuple[SpeechText, ...]
    correct: Mask


def questions(debates: Iterable[AnsweredDebate]) -> list[Question]:
    """One question for each supporting speech that has an answer among at least two candidates."""
    return [
        Question(debate.supporting[row], debate.chosen(candidates), correct)
        for debate in debates
        for row, candidates, correct in debate.asked()
    ]


def answer_pairs(debates: Iterable[AnsweredDebate]) -> list[tuple[SpeechText, SpeechText]]:
    """Every supporting speech with its answer."""
    return [
        (debate.supporting[row], debate.opposing[column])
        for debate in debates
        for row, column in np.argwhere(debate.answers)
    ]
