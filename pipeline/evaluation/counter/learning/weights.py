"""Weights of a ranker, learned from motions with known answers."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.ranker import standardised
from pipeline.arrays import Mask, Matrix, Vector
from pipeline.evaluation.counter.learning.attribution import Scored

_PENALTIES = (0.3, 3.0, 30.0)
_FOLDS = 5


def learn(examples: Sequence[Scored], names: Sequence[str]) -> dict[str, float]:
    """Weights under which answers stand out, both among the candidates and among the speeches they may answer.

    They maximise the likelihood of the answers, less a penalty on their distance from equal weights. Cross-validation
    over motions chooses the strength of the penalty. No weight is negative: a high score never speaks against an
    answer.
    """
    choices = [_choices(example, names) for example in examples]
    folds = min(_FOLDS, len(choices))
    parts = [range(start, len(choices), folds) for start in range(folds)]

    def loss(penalty: float) -> float:
        total = 0.0
        for part in parts:
            weights = _fitted([each for i, each in enumerate(choices) if i not in part], len(names), penalty)
            total += sum(_loss(weights, choices[index])[0] for index in part)
        return total

    penalty = min(_PENALTIES, key=loss) if folds > 1 else _PENALTIES[-1]
    return dict(zip(names, _fitted(choices, len(names), penalty).tolist(), strict=True))


# One choice: the scores of what could be chosen, one row each, and which of them are right.
_Choice = tuple[Matrix, Mask]


def _choices(example: Scored, names: Sequence[str]) -> list[_Choice]:
    """Every choice with something right and something wrong to choose: rows, then columns."""
    debate, table = example
    scores = np.stack([standardised(table[name], debate.allowed) for name in names], axis=-1)
    lines = [*zip(scores, debate.allowed, debate.answers, strict=True)]
    lines += zip(scores.swapaxes(0, 1), debate.allowed.T, debate.answers.T, strict=True)
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
