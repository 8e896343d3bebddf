"""Weights of a ranker, learned from motions with known answers."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.ranker import Ranker, standardised
from pipeline.arrays import Mask, Matrix, Vector
from pipeline.evaluation.counter.attribution import Scored

_PENALTIES = (0.3, 3.0, 30.0)


def learn(examples: Sequence[Scored], names: Sequence[str], *, folds: int = 5) -> Ranker:
    """Weights under which answers stand out, both among the candidates and among the speeches they may answer.

    They maximise the likelihood of the answers, less a penalty on their distance from equal weights. Cross-validation
    over motions chooses the strength of the penalty. No weight is negative: a high score never speaks against an
    answer.
    """
    choices = [_choices(example, names) for example in examples]
    folds = min(folds, len(choices))
    if folds < 2:
        return _ranker(_fitted(choices, len(names), _PENALTIES[-1]), names)
    parts = [range(start, len(choices), folds) for start in range(folds)]

    def loss(penalty: float) -> float:
        total = 0.0
        for part in parts:
            weights = _fitted([each for i, each in enumerate(choices) if i not in part], len(names), penalty)
            total += sum(_loss(weights, choices[index])[0] for index in part)
        return total

    return _ranker(_fitted(choices, len(names), min(_PENALTIES, key=loss)), names)


def _ranker(weights: Vector, names: Sequence[str]) -> Ranker:
    return Ranker({name: float(weight) for name, weight in zip(names, weights, strict=True)})


# One choice: the scores of what could be chosen, one row each, and which of them are right.
_Choice = tuple[Matrix, Mask]


def _choices(example: Scored, names: Sequence[str]) -> list[_Choice]:
    """Every choice with something right and something wrong to choose: rows, then columns."""
    scores = np.stack([standardised(example.table[name], example.allowed) for name in names], axis=-1)
    lines = [(scores[row], example.allowed[row], example.answers[row]) for row in range(len(scores))] + [
        (scores[:, col], example.allowed[:, col], example.answers[:, col]) for col in range(scores.shape[1])
    ]
    kept = ((line[allowed], answers[allowed]) for line, allowed, answers in lines)
    return [(line, answers) for line, answers in kept if answers.any() and not answers.all()]


def _fitted(motions: Sequence[Sequence[_Choice]], size: int, penalty: float) -> Vector:
    from scipy.optimize import minimize

    equal = np.full(size, 1 / size)
    choices = [choice for motion in motions for choice in motion]

    def objective(weights: Vector) -> tuple[float, Vector]:
        loss, gradient = _loss(weights, choices)
        away = weights - equal
        return loss + penalty * float(away @ away), gradient + 2 * penalty * away

    found = minimize(objective, equal, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * size)
    return np.asarray(found.x)


def _loss(weights: Vector, choices: Sequence[_Choice]) -> tuple[float, Vector]:
    """The negative log-likelihood of the right ones under a softmax, and its gradient."""
    loss, gradient = 0.0, np.zeros_like(weights)
    for scores, right in choices:
        values = scores @ weights
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        of_right = shares[right].sum()
        loss -= float(np.log(of_right))
        gradient += shares @ scores - (shares[right] / of_right) @ scores[right]
    return loss, gradient
