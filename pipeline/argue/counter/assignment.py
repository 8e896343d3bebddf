"""The best assignment of a motion's speeches: an opposing speech answers one supporting speech at most."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from pipeline.arrays import Mask, Matrix, Vector

# Worse than any sum of scores, and small enough that adding it does not round their differences away.
_FORBIDDEN = -1e6
# At this value a pair is the only one possible; below its negative, the pair makes another speech's impossible.
DECISIVE = 1e5


def marginal_values(scores: Matrix, allowed: Mask, row: int | None = None) -> Matrix:
    """The marginal value of each pair: the best assignment's total with the pair, less the best without it.

    Rows are the supporting speeches, columns the opposing ones. An assignment gives each supporting speech one opposing
    speech, as long as there are any, and gives no opposing speech twice. The pairs of the best assignment are above 0.
    Pairs that are not allowed are `-inf`; with a `row`, so are the pairs of all other rows.
    """
    values = np.where(allowed, scores, _FORBIDDEN)
    found = np.full(scores.shape, -np.inf)
    rows, columns = linear_sum_assignment(values, maximize=True)
    best, assigned = float(values[rows, columns].sum()), set(zip(rows, columns, strict=True))
    wanted = allowed if row is None else allowed & (np.arange(len(allowed)) == row)[:, None]
    for each, column in np.argwhere(wanted):
        without = best
        if (each, column) in assigned:
            barred = values.copy()
            barred[each, column] = _FORBIDDEN
            without = _total(barred)
        rest = np.delete(np.delete(values, each, axis=0), column, axis=1)
        found[each, column] = values[each, column] + _total(rest) - without
    return found


def several_answers(scores: Matrix, allowed: Mask, nobody: Vector | None = None) -> Matrix:
    """The marginal value of each pair where a supporting speech may have several answers, or none.

    Every opposing speech answers the supporting speech with which it scores highest, or nobody, where the score of
    `nobody` is higher. A pair's value is its score less the best of all else that the opposing speech might do.

    >>> several_answers(np.array([[3.0, 2.0], [1.0, 1.5]]), np.ones((2, 2), dtype=bool), nobody=np.array([0.0, 2.5]))
    array([[ 2. , -0.5],
           [-2. , -1. ]])
    """
    values = np.where(allowed, scores, -np.inf)
    nobody = np.full(values.shape[1], -np.inf) if nobody is None else nobody
    found = np.full(scores.shape, -np.inf)
    for row in range(len(values)):
        others = np.delete(values, row, axis=0).max(axis=0, initial=-np.inf)
        best = np.maximum(others, nobody)
        alone = np.where(np.isneginf(best), DECISIVE, values[row] - np.where(np.isneginf(best), 0.0, best))
        found[row] = np.where(allowed[row], alone, -np.inf)
    return found


def _total(values: Matrix) -> float:
    return float(values[linear_sum_assignment(values, maximize=True)].sum())
