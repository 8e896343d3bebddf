"""Fitting the preference model to pairs of arguments. Its variance and temperature are chosen on topics left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from pipeline.argue.convincing.preference import (
    KernelBlock,
    PreferenceModel,
    best_temperature,
    fit,
    median_length_scale,
)
from pipeline.argue.convincing.representation import Scale
from pipeline.arrays import Integers, Mask, Matrix, Vector
from pipeline.errors import RostrumError

_VARIANCES = (0.03, 0.1, 0.3, 1.0)
_INNER_FOLDS = 4
_LENGTH_BINS = 10
_SURFACE_WIDENING = float(np.sqrt(2.0))


@dataclass(frozen=True)
class PreferencePairs:
    """Pairs of rows with the winner first, and the topic of each pair."""

    winner: Integers
    loser: Integers
    topic: Integers

    def where(self, chosen: Mask) -> "PreferencePairs":
        return PreferencePairs(self.winner[chosen], self.loser[chosen], self.topic[chosen])


@dataclass(frozen=True)
class Learned:
    """A model with the scale of its columns."""

    scale: Scale
    model: PreferenceModel
    variance: float

    def utilities(self, rows: Matrix) -> Vector:
        return self.model.utilities(self.scale(rows))


@dataclass(frozen=True)
class _Task:
    """What a model is fitted to: standardised rows, pairs with weights, and the columns of each kernel."""

    rows: Matrix
    pairs: PreferencePairs
    weights: Vector
    columns: tuple[slice, slice]
    length_scales: tuple[float, float]
    seed: int

    def fitted(self, variance: float, chosen: Mask) -> PreferenceModel:
        """The model of this variance, from the chosen pairs."""
        scales = zip(self.columns, self.length_scales, strict=True)
        blocks = [KernelBlock(columns, variance, scale) for columns, scale in scales]
        pairs, weights = self.pairs.where(chosen), self.weights[chosen]
        return fit(self.rows, pairs.winner, pairs.loser, blocks, pair_weights=weights, seed=self.seed)

    def left_out(self, variance: float, folds: Integers) -> Vector:
        """Differences of winners over losers, each by a model that has not seen its fold."""
        differences = np.zeros(len(folds))
        for fold in np.unique(folds):
            model, pairs = self.fitted(variance, folds != fold), self.pairs.where(folds == fold)
            differences[folds == fold] = model.utilities(self.rows[pairs.winner]) - model.utilities(
                self.rows[pairs.loser]
            )
        return differences


def learn(
    rows: Matrix,
    n_columns: int,
    pairs: PreferencePairs,
    *,
    lengths: Vector | None = None,
    rounded_to: DTypeLike = np.float64,
    seed: int = 0,
) -> Learned:
    """Learn from pairs of rows whose first `n_columns` are features to be standardised.

    The variance of utilities is the one whose probabilities are best on topics left out, and the temperature is set on
    the same. With `lengths` (of each row's text) pairs are weighted so that length does not predict the winner. Rows
    can be `rounded_to` the precision in which landmarks will be stored.
    """
    trained_on = np.unique(np.concatenate([pairs.winner, pairs.loser]))
    scale = Scale.of(rows[trained_on], n_columns)
    standard = scale(rows).astype(rounded_to).astype(np.float64)
    columns = (slice(0, n_columns), slice(n_columns, rows.shape[1]))
    medians = [median_length_scale(standard[trained_on, part]) for part in columns]
    weights = np.ones(len(pairs.winner)) if lengths is None else length_weights(lengths, pairs)
    length_scales = (medians[0] * _SURFACE_WIDENING, medians[1])
    task = _Task(standard, pairs, weights, columns, length_scales, seed)
    _, temperature, variance = min(_tried(task, variance) for variance in _VARIANCES)
    model = task.fitted(variance, np.ones(len(pairs.winner), dtype=bool))
    return Learned(scale, model.calibrated(temperature), variance)


def _tried(task: _Task, variance: float) -> tuple[float, float, float]:
    """(loss on topics left out, temperature, variance)."""
    differences = task.left_out(variance, _folds(task.pairs.topic, task.seed))
    temperature = best_temperature(differences)
    return float(np.mean(np.logaddexp(0.0, -temperature * differences))), temperature, variance


def _folds(topic: Integers, seed: int) -> Integers:
    """The inner fold of each pair; a topic is whole in one of them."""
    names, places = np.unique(topic, return_inverse=True)
    if len(names) < 2:
        raise RostrumError("pairs of at least two topics are needed: a model is judged on topics it has not seen")
    return np.asarray(np.random.default_rng(seed).permutation(len(names))[places] % _INNER_FOLDS)


def length_weights(lengths: Vector, pairs: PreferencePairs) -> Vector:
    """Weights of pairs under which, among pairs of like difference in length, the longer text wins half of the time."""
    difference = np.log1p(lengths[pairs.winner]) - np.log1p(lengths[pairs.loser])
    edges = np.quantile(np.abs(difference), np.linspace(0.0, 1.0, _LENGTH_BINS + 1)[1:-1])
    bins = np.digitize(np.abs(difference), edges)
    weights = np.ones(len(difference))
    for each in np.unique(bins):
        longer_won = difference[bins == each] > 0
        share = np.clip(longer_won.mean(), 0.02, 0.98)
        weights[bins == each] = np.where(longer_won, 0.5 / share, 0.5 / (1.0 - share))
    return np.asarray(weights / weights.mean())
