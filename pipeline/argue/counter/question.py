"""A supporting speech and who may have answered it, and how good an answer is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.counter.speech_text import Scores, SpeechText


@dataclass(frozen=True, eq=False)
class Question:
    """Which of the candidates answers the supporting speech? `correct` says it of each."""

    supporting: SpeechText
    candidates: tuple[SpeechText, ...]
    correct: NDArray[np.bool_]


def accuracy(scores: Scores, correct: NDArray[np.bool_]) -> float:
    """Whether the highest score is that of a correct candidate; of equal ones, the share that is correct."""
    best = scores == scores.max()
    return float(correct[best].mean())


def reciprocal_rank(scores: Scores, correct: NDArray[np.bool_]) -> float:
    """1 / the rank of the first correct candidate, expected over the orders in which equal scores may stand."""
    top = scores[correct].max()
    before = int((scores > top).sum())
    tied = scores == top
    size, hits = int(tied.sum()), int(correct[tied].sum())
    first = range(1, size - hits + 2)
    return sum(comb(size - place, hits - 1) / comb(size, hits) / (before + place) for place in first)


def mean_accuracy(scores: Sequence[Scores], questions: Sequence[Question]) -> float:
    found = [accuracy(each, question.correct) for each, question in zip(scores, questions, strict=True)]
    return float(np.mean(found)) if found else 0.0
