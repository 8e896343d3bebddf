"""Baselines: the more frequent answer, and the longer text."""

import numpy as np

from pipeline.convincing.evaluate.judging import Fold, Judgement, Method, Pool, by_utility
from pipeline.text.terms import tokens


def _majority(pool: Pool, fold: Fold) -> Judgement:
    margin = 1.0 if fold.first_wins.mean() >= 0.5 else -1.0
    return Judgement(np.full(len(fold.test), margin))


def _longer(pool: Pool, fold: Fold) -> Judgement:
    return by_utility(pool, fold, pool.once("characters", lambda: np.array([float(len(text)) for text in pool.texts])))


def _more_words(pool: Pool, fold: Fold) -> Judgement:
    return by_utility(pool, fold, pool.once("words", lambda: np.array([float(len(tokens(t))) for t in pool.texts])))


METHODS = (
    Method("majority", "baseline", _majority, fast=True),
    Method("longer (characters)", "baseline", _longer, fast=True),
    Method("longer (words)", "baseline", _more_words, fast=True),
)
