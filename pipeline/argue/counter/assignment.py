"""The best assignment of a motion's speeches: an opposing speech answers at most one of the supporting speeches."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from pipeline.arrays import Mask, Matrix

# Worse than any sum of scores, and near enough to them that their differences are not rounded away.
_FORBIDDEN = -1e6
# At this value a pair is the only one possible; below its negative, the pair makes another speech's impossible.
DECISIVE = 1e5


def marginal_values(scores: Matrix, allowed: Mask, row: int | None = None) -> Matrix:
    """The marginal value of each pair: the best assignment's total with the pair, less the best without it.

    Rows are the supporting speeches, columns the opposing ones. An assignment gives every supporting speech one
    opposing speech, as far as they go, and none to two of them. Above 0 are the pairs of the best assignment. Pairs
    that are not allowed are `-inf`. With a `row`, the others are left at `-inf`.
    """
    values = np.where(allowed, scores, _FORBIDDEN)
    found = np.full(scores.shape, -np.inf)
    rows, columns = linear_sum_assignment(values, maximize=True)
    best, assigned = float(values[rows, columns].sum()), set(zip(rows, columns, strict=True))
    for each, column in np.argwhere(allowed):
        if row is not None and each != row:
            continue
        without = best
        if (each, column) in assigned:
            barred = values.copy()
            barred[each, column] = _FORBIDDEN
            without = _total(barred)
        rest = np.delete(np.delete(values, each, axis=0), column, axis=1)
        found[each, column] = values[each, column] + _total(rest) - without
    return found


def _total(values: Matrix) -> float:
    return float(values[linear_sum_assignment(values, maximize=True)].sum())
