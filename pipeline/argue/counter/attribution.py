"""The probability that an opposing speech answers each supporting speech, or nobody here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pipeline.arrays import Mask, Matrix, Vector
from pipeline.errors import RostrumError


@dataclass(frozen=True)
class Attribution:
    """Probabilities that were learned from known answers.

    Whether an opposing speech answers somebody follows from the weighted sum of its best scores with any supporting
    speech. Whom it answers follows from the combined scores, which `sharpness` turns into odds. A supporting speech may
    have any number of answers. `bias` is for the share of answers in the debates it was learned from; `even_bias` is
    for a share of one half.
    """

    weights: Mapping[str, float]
    bias: float
    sharpness: float
    even_bias: float | None = None

    def for_share(self, share: float) -> "Attribution":
        """The same for debates in which this share of the opposing speeches, above 0 and below 1, answers somebody.

        >>> round(Attribution({}, bias=9.0, sharpness=1.0, even_bias=0.5).for_share(0.75).bias, 4)  # 0.5 + log 3
        1.5986
        """
        if self.even_bias is None:
            raise RostrumError("counter.answered: the ranker was trained before there was this setting; train it again")
        return replace(self, bias=self.even_bias + float(np.log(share / (1 - share))))

    def answers_somebody(self, table: Mapping[str, Matrix], allowed: Mask) -> Vector:
        """How probable it is of each opposing speech that it answers one of the supporting speeches."""
        best = best_scores({name: table[name] for name in self.weights}, allowed)
        logits = self.bias + sum(weight * best[name] for name, weight in self.weights.items())
        return np.where(allowed.any(axis=0), 1 / (1 + np.exp(-logits)), 0.0)

    def probabilities(self, table: Mapping[str, Matrix], combined: Matrix, allowed: Mask) -> Matrix:
        """One row per supporting speech; a column's sum falls short of 1 by the probability that it answers nobody."""
        return self.answers_somebody(table, allowed) * shares(combined, allowed, self.sharpness)


def best_scores(table: Mapping[str, Matrix], allowed: Mask) -> dict[str, Vector]:
    """Each opposing speech's (column's) best score with a supporting speech, by method; 0 if none is allowed."""
    possible = allowed.any(axis=0)
    return {
        name: np.where(possible, np.where(allowed, scores, -np.inf).max(axis=0, initial=-np.inf), 0.0)
        for name, scores in table.items()
    }


def shares(combined: Matrix, allowed: Mask, sharpness: float) -> Matrix:
    """Each column as a distribution over its allowed rows, by a softmax of the scores."""
    logits = np.where(allowed, sharpness * combined, -np.inf)
    highest = logits.max(axis=0, initial=-np.inf, keepdims=True)
    odds = np.where(allowed, np.exp(logits - np.where(np.isfinite(highest), highest, 0.0)), 0.0)
    total = odds.sum(axis=0, keepdims=True)
    return np.asarray(np.divide(odds, total, out=np.zeros_like(odds), where=total > 0))
