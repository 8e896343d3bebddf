"""Bradley-Terry models whose utilities are linear in surface features, an encoder's vectors, or both."""

from collections.abc import Callable

import numpy as np

from pipeline.convincing.evaluate.judging import Fold, Judgement, Method, Pool, by_utility, needs_encoder
from pipeline.convincing.representation import WRITTEN, Scale

# Of logistic regression on standardised columns: chosen on topics of one training part.
_RIDGE = 0.001


def _bradley_terry(columns: slice) -> Callable[[Pool, Fold], Judgement]:
    def judge(pool: Pool, fold: Fold) -> Judgement:
        from sklearn.linear_model import LogisticRegression

        part = pool.seen(WRITTEN)[:, columns]
        rows = Scale.of(part[np.unique(fold.train)], part.shape[1])(part)
        model = LogisticRegression(C=_RIDGE, fit_intercept=False, max_iter=1000)
        model.fit(rows[fold.train[:, 0]] - rows[fold.train[:, 1]], fold.first_wins)
        return by_utility(pool, fold, rows @ model.coef_[0])

    return judge


_SURFACE = len(WRITTEN.features)
METHODS = tuple(
    Method(name, "ours", _bradley_terry(columns), needs=needs_encoder, fast=True, needs_both_answers=True)
    for name, columns in (
        ("bradley-terry, surface", slice(0, _SURFACE)),
        ("bradley-terry, encoder", slice(_SURFACE, None)),
        ("bradley-terry", slice(None)),
    )
)
