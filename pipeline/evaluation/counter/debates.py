"""The speeches on one motion, and which of them are known to answer which."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pipeline.argue.counter.candidates import allowed_pairs
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Mask
from pipeline.records import ResponseKind


@dataclass(frozen=True, eq=False)
class AnsweredDebate:
    """The speeches on a motion. `answers` has one row per supporting speech and one column per opposing one.

    `kinds` says how each opposing speech answers, where that is known.
    """

    motion: str
    supporting: tuple[SpeechText, ...]
    opposing: tuple[SpeechText, ...]
    answers: Mask
    kinds: tuple[ResponseKind | None, ...]

    @property
    def speeches(self) -> tuple[SpeechText, ...]:
        return self.supporting + self.opposing


@dataclass(frozen=True, eq=False)
class Question:
    """A supporting speech, the candidates that may answer it, and which of them do (`correct`)."""

    supporting: SpeechText
    candidates: tuple[SpeechText, ...]
    correct: Mask


def questions(debates: Iterable[AnsweredDebate]) -> list[Question]:
    """One question for each supporting speech that has an answer among at least two candidates."""
    found = []
    for debate in debates:
        allowed = allowed_pairs(debate.supporting, debate.opposing)
        for row, speech in enumerate(debate.supporting):
            columns = np.flatnonzero(allowed[row])
            correct = debate.answers[row, columns]
            if len(columns) > 1 and correct.any():
                found.append(Question(speech, tuple(debate.opposing[column] for column in columns), correct))
    return found


def answer_pairs(debates: Iterable[AnsweredDebate]) -> list[tuple[SpeechText, SpeechText]]:
    """Every supporting speech with its answer."""
    return [
        (debate.supporting[row], debate.opposing[column])
        for debate in debates
        for row, column in np.argwhere(debate.answers)
    ]
