"""How well the sentences of two speeches match, by a matrix of their similarities."""

import numpy as np

from pipeline.arrays import Matrix, Vector


def covered(similarity: Matrix, weights: Vector | None = None) -> float:
    """The mean of the rows' best matches, weighted if there are weights."""
    best = best_matches(similarity, axis=1)
    if not len(best) or (weights is not None and not weights.any()):
        return 0.0
    return float(np.average(best, weights=weights))


def best_matches(similarity: Matrix, axis: int) -> Vector:
    """The best match of each row or column, none below 0; 0 where there is nothing to match."""
    return np.asarray(similarity.max(axis=axis, initial=0.0))
