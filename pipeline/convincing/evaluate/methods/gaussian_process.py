"""This project's method: a Gaussian process over texts. One of its forms is the model that ships."""

from collections.abc import Callable

import numpy as np

from pipeline.convincing.evaluate.judging import Fold, Judgement, Method, MethodOptions, Pool, by_utility, needs_encoder
from pipeline.convincing.model import digest, load
from pipeline.convincing.preference import Learned, PreferencePairs, learn
from pipeline.convincing.representation import SPOKEN, SPOKEN_WITHOUT_LENGTH, VIEWS, WRITTEN, View

# The project's method, fixed in advance, not chosen by its figures.
BEST = "gaussian process"
METHOD_OF_VIEW = {view.name: BEST if view is WRITTEN else f"{BEST}, {view.name}" for view in VIEWS.values()}
# The method that makes the shipped model. Its row shows it on topics left out, which the shipped model has learned.
SHIPPED_KIND = METHOD_OF_VIEW[SPOKEN_WITHOUT_LENGTH.name]


def _gaussian_process(view: View, *, debiased: bool = False) -> Callable[[Pool, Fold], Judgement]:
    def judge(pool: Pool, fold: Fold) -> Judgement:
        learned = learned_from(pool, fold, view, debiased=debiased)
        return by_utility(pool, fold, learned.utilities(pool.seen(view)), learned.model.probabilities)

    return judge


def learned_from(pool: Pool, fold: Fold, view: View, *, debiased: bool = False) -> Learned:
    """The preference model of a fold's training pairs."""
    first, second = fold.train.T
    winner, loser = np.where(fold.first_wins, first, second), np.where(fold.first_wins, second, first)
    pairs = PreferencePairs(winner, loser, pool.topic_of[winner])
    lengths = np.array([float(len(text)) for text in pool.texts]) if debiased else None
    return learn(pool.seen(view), len(view.columns), pairs, lengths=lengths, seed=pool.options.seed)


def _shipped(pool: Pool, fold: Fold) -> Judgement:
    model = load()
    utilities = pool.once("shipped model", lambda: model.learned.utilities(pool.seen(model.view)))
    return by_utility(pool, fold, utilities, model.learned.model.probabilities)


def _shipped_needs(options: MethodOptions) -> dict[str, str]:
    return {**needs_encoder(options), "shipped model": digest()[:12]}


METHODS = (
    Method(BEST, "ours", _gaussian_process(WRITTEN), needs=needs_encoder, fast=True),
    Method(f"{BEST}, debiased", "ours", _gaussian_process(WRITTEN, debiased=True), needs=needs_encoder),
    Method(METHOD_OF_VIEW[SPOKEN.name], "ours", _gaussian_process(SPOKEN), needs=needs_encoder),
    Method(
        SHIPPED_KIND,
        "ours",
        _gaussian_process(SPOKEN_WITHOUT_LENGTH),
        needs=needs_encoder,
        fast=True,
    ),
    Method("shipped model", "ours", _shipped, needs=_shipped_needs, fast=True, trained_on="UKPConvArg1"),
)
