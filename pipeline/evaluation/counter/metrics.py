"""How good the answers to questions are."""

from collections.abc import Sequence
from math import comb

import numpy as np

from pipeline.arrays import Mask, Matrix, Vector
from pipeline.evaluation.counter.debates import AnsweredDebate, Question


def accuracy(scores: Vector, correct: Mask) -> float:
    """Whether the highest score is that of a correct candidate; of equal ones, the share that is correct."""
    best = scores == scores.max()
    return float(correct[best].mean())


def reciprocal_rank(scores: Vector, correct: Mask) -> float:
    """1 / the rank of the first correct candidate, expected over the orders in which equal scores may stand."""
    top = scores[correct].max()
    before = int((scores > top).sum())
    tied = scores == top
    size, hits = int(tied.sum()), int(correct[tied].sum())
    first = range(1, size - hits + 2)
    return sum(comb(size - place, hits - 1) / comb(size, hits) / (before + place) for place in first)


def outcomes(debate: AnsweredDebate, scores: Matrix) -> list[tuple[float, float]]:
    """Accuracy and reciprocal rank of each question of a debate."""
    return [
        (accuracy(scores[row, candidates], correct), reciprocal_rank(scores[row, candidates], correct))
        for row, candidates, correct in debate.asked()
    ]


def mean_accuracy(scores: Sequence[Vector], questions: Sequence[Question]) -> float:
    """The mean over questions of the accuracy of their scores; 0 without questions."""
    found = [accuracy(each, question.correct) for each, question in zip(scores, questions, strict=True)]
    return float(np.mean(found)) if found else 0.0
