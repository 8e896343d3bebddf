"""All methods that say which of two arguments is more convincing: `METHODS` has the rows of the evaluation.

Baselines, Bradley-Terry models and Gaussian processes are here, the published methods in `svm` and `blstm`.
"""

from collections.abc import Callable

import numpy as np

from pipeline.arrays import Vector
from pipeline.convincing.evaluate import blstm, svm
from pipeline.convincing.evaluate.judging import Fold, Judgement, Method, MethodOptions, Pool, by_utility, needs_encoder
from pipeline.convincing.model import digest, load
from pipeline.convincing.preference import PreferencePairs, learn
from pipeline.convincing.representation import SPOKEN, SPOKEN_WITHOUT_LENGTH, VIEWS, WRITTEN, Scale, View
from pipeline.text.terms import tokens

# The project's method, fixed in advance, not chosen by its figures.
BEST = "gaussian process"
METHOD_OF_VIEW = {view.name: BEST if view is WRITTEN else f"{BEST}, {view.name}" for view in VIEWS.values()}
# The method that makes the shipped model. Its row shows it on topics left out, which the shipped model has learned.
SHIPPED_KIND = METHOD_OF_VIEW[SPOKEN_WITHOUT_LENGTH.name]

# Inverse strength of the L2 penalty on standardised columns: chosen on topics of one training part.
_INVERSE_PENALTY = 0.001
_SURFACE = len(WRITTEN.features)


def _majority(pool: Pool, fold: Fold) -> Judgement:
    margin = 1.0 if fold.first_wins.mean() >= 0.5 else -1.0
    return Judgement(np.full(len(fold.test), margin))


def _longer(pool: Pool, fold: Fold) -> Judgement:
    return by_utility(pool, fold, _characters(pool))


def _characters(pool: Pool) -> Vector:
    return np.array([float(len(text)) for text in pool.texts])


def _more_words(pool: Pool, fold: Fold) -> Judgement:
    return by_utility(pool, fold, pool.once("words", lambda: np.array([float(len(tokens(t))) for t in pool.texts])))


def _bradley_terry(columns: slice) -> Callable[[Pool, Fold], Judgement]:
    """A Bradley-Terry model whose utilities are linear in some columns: surface features, the encoder's, or both."""

    def judge(pool: Pool, fold: Fold) -> Judgement:
        from sklearn.linear_model import LogisticRegression

        part = pool.seen(WRITTEN)[:, columns]
        rows = Scale.fitted(part[np.unique(fold.train)], part.shape[1])(part)
        model = LogisticRegression(C=_INVERSE_PENALTY, fit_intercept=False, max_iter=1000)
        model.fit(rows[fold.train[:, 0]] - rows[fold.train[:, 1]], fold.first_wins)
        return by_utility(pool, fold, rows @ model.coef_[0])

    return judge


def _gaussian_process(view: View, *, debiased: bool = False) -> Callable[[Pool, Fold], Judgement]:
    """This project's method: a Gaussian process over texts. One of its forms is the model that ships."""

    def judge(pool: Pool, fold: Fold) -> Judgement:
        first, second = fold.train.T
        winner, loser = np.where(fold.first_wins, first, second), np.where(fold.first_wins, second, first)
        pairs = PreferencePairs(winner, loser, pool.topic_of[winner])
        lengths = _characters(pool) if debiased else None
        learned = learn(pool.seen(view), len(view.columns), pairs, lengths=lengths, seed=pool.options.seed)
        return by_utility(pool, fold, learned.utilities(pool.seen(view)), learned.model.probabilities)

    return judge


def _shipped(pool: Pool, fold: Fold) -> Judgement:
    model = load()
    utilities = pool.once("shipped model", lambda: model.learned.utilities(pool.seen(model.view)))
    return by_utility(pool, fold, utilities, model.learned.model.probabilities)


def _shipped_needs(options: MethodOptions) -> dict[str, str]:
    return {**needs_encoder(options), "shipped model": digest()[:12]}


def _gaussian_process_row(name: str, view: View, *, fast: bool = False, debiased: bool = False) -> Method:
    return Method(name, "ours", _gaussian_process(view, debiased=debiased), needs=needs_encoder, fast=fast)


def _bradley_terry_row(name: str, columns: slice) -> Method:
    judge = _bradley_terry(columns)
    return Method(name, "ours", judge, needs=needs_encoder, fast=True, needs_both_answers=True)


METHODS: tuple[Method, ...] = (
    Method("majority", "baseline", _majority, fast=True),
    Method("longer (characters)", "baseline", _longer, fast=True),
    Method("longer (words)", "baseline", _more_words, fast=True),
    blstm.PUBLISHED,
    *svm.PUBLISHED,
    blstm.TEXT_BY_TEXT,
    _gaussian_process_row(BEST, WRITTEN, fast=True),
    _gaussian_process_row(f"{BEST}, debiased", WRITTEN, debiased=True),
    _gaussian_process_row(METHOD_OF_VIEW[SPOKEN.name], SPOKEN),
    _gaussian_process_row(SHIPPED_KIND, SPOKEN_WITHOUT_LENGTH, fast=True),
    Method("shipped model", "ours", _shipped, needs=_shipped_needs, fast=True, trained_on="UKPConvArg1"),
    _bradley_terry_row("bradley-terry, surface", slice(0, _SURFACE)),
    _bradley_terry_row("bradley-terry, encoder", slice(_SURFACE, None)),
    _bradley_terry_row("bradley-terry", slice(None)),
    *svm.OURS,
)
