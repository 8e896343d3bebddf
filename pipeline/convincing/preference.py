"""How convincing each text is, learned from pairs: a Bradley-Terry model whose utilities are a Gaussian process.

Preference learning after Chu and Ghahramani (2005): P(a beats b) = sigmoid(u(a) - u(b)). The kernel of the utilities is
a sum of RBF kernels, one for each block of the text's features. Laplace's approximation gives their posterior mode,
over a Nyström approximation with some landmark texts, which is exact with all texts.

`fit` learns with given kernels; `learn` chooses the variance and the temperature on topics left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy.optimize import minimize_scalar
from scipy.sparse import coo_array
from scipy.special import expit

from pipeline.arrays import Integers, Mask, Matrix, Vector
from pipeline.convincing.representation import Scale
from pipeline.errors import RostrumError

# Directions of the landmarks' kernel that carry less than this share of the largest are numerical noise.
_SMALLEST_EIGENVALUE = 1e-7
_CONVERGED = 1e-3
_MOST_STEPS = 50
# Variances of the utilities that are tried, on so many folds of topics left out.
_VARIANCES = (0.03, 0.1, 0.3, 1.0)
_INNER_FOLDS = 4
_LENGTH_BINS = 10
_SURFACE_WIDENING = float(np.sqrt(2.0))


@dataclass(frozen=True)
class KernelBlock:
    """Columns whose distances are measured together, by an RBF kernel of this variance and length scale."""

    columns: slice
    variance: float
    length_scale: float

    def kernel(self, rows: Matrix, others: Matrix) -> Matrix:
        distances = squared_distances(rows[:, self.columns], others[:, self.columns])
        return np.asarray(self.variance * np.exp(-distances / (2.0 * self.length_scale**2)))


@dataclass(frozen=True)
class PreferenceModel:
    """Nyström approximation: utility = K(x, landmarks) @ weights; `temperature` calibrates probabilities."""

    blocks: tuple[KernelBlock, ...]
    landmarks: Matrix
    weights: Vector
    temperature: float = 1.0

    def utilities(self, features: Matrix) -> Vector:
        """How convincing the text of each row is; only differences mean something."""
        return np.asarray(_kernel(self.blocks, features, self.landmarks) @ self.weights)

    def probabilities(self, differences: Vector) -> Vector:
        """P(a beats b), by the difference u(a) - u(b) of the utilities."""
        return np.asarray(expit(self.temperature * differences))

    def gradient(self, features: Matrix) -> Matrix:
        """How the utility of each row changes with each column."""
        gradient = np.zeros_like(features)
        for block in self.blocks:
            pull = block.kernel(features, self.landmarks) * self.weights
            columns = self.landmarks[:, block.columns]
            moved = pull @ columns - pull.sum(axis=1, keepdims=True) * features[:, block.columns]
            gradient[:, block.columns] += moved / block.length_scale**2
        return gradient

    def contributions(self, row: Matrix, other: Matrix, steps: int = 16) -> Vector:
        """Integrated gradients: what each column adds to a row's utility over another's.

        The path is the straight line from the one to the other.
        """
        shares = (np.arange(steps) + 0.5) / steps
        line = other + shares[:, None] * (row - other)
        return np.asarray(self.gradient(line).mean(axis=0) * (row - other))

    def calibrated(self, temperature: float) -> "PreferenceModel":
        return replace(self, temperature=temperature)


def fit(
    features: Matrix,
    winner: Integers,
    loser: Integers,
    blocks: Sequence[KernelBlock],
    *,
    landmarks: int = 500,
    pair_weights: Vector | None = None,
    seed: int = 0,
) -> PreferenceModel:
    """Learn from pairs of rows; with fewer landmarks than texts these are texts drawn at random."""
    texts, pairs = np.unique(np.stack([winner, loser]), return_inverse=True)
    rows = features[texts]
    winner, loser = pairs.reshape(2, -1)
    chosen = np.sort(np.random.default_rng(seed).permutation(len(rows))[:landmarks])
    values, directions = np.linalg.eigh(_kernel(blocks, rows[chosen], rows[chosen]))
    strong = values > _SMALLEST_EIGENVALUE * values[-1]
    whitening = directions[:, strong] / np.sqrt(values[strong])
    design = _kernel(blocks, rows, rows[chosen]) @ whitening
    coefficients = _posterior_mode(
        design, winner, loser, np.ones(len(winner)) if pair_weights is None else pair_weights
    )
    return PreferenceModel(tuple(blocks), rows[chosen], whitening @ coefficients)


def _posterior_mode(design: Matrix, winner: Integers, loser: Integers, pair_weights: Vector) -> Vector:
    """Newton's method for a Bradley-Terry model, the coefficients having a standard normal prior."""
    n_texts, size = design.shape
    coefficients = np.zeros(size)
    rows = np.concatenate([winner, loser, winner, loser])
    columns = np.concatenate([winner, loser, loser, winner])
    for _ in range(_MOST_STEPS):
        utilities = design @ coefficients
        surprise = expit(utilities[loser] - utilities[winner])
        pull = pair_weights * surprise
        gradient = design.T @ (np.bincount(winner, pull, n_texts) - np.bincount(loser, pull, n_texts)) - coefficients
        curvature = pull * (1.0 - surprise)
        values = np.concatenate([curvature, curvature, -curvature, -curvature])
        laplacian = coo_array((values, (rows, columns)), shape=(n_texts, n_texts)).tocsr()
        step = np.linalg.solve(design.T @ (laplacian @ design) + np.eye(size), gradient)
        coefficients += step
        if np.abs(design @ step).max() < _CONVERGED:
            return coefficients
    raise ArithmeticError("the utilities of the texts did not settle")


def best_temperature(*differences: Vector) -> float:
    """The temperature that calibrates probabilities, by differences between winner and loser on texts not trained on.

    Each of several collections counts the same.
    """

    def loss(logarithm: float) -> float:
        return float(np.mean([np.logaddexp(0.0, -np.exp(logarithm) * own).mean() for own in differences]))

    return float(np.exp(minimize_scalar(loss, bounds=(-5.0, 5.0), method="bounded").x))


def median_length_scale(rows: Matrix) -> float:
    """The median heuristic: the root of the median squared distance between rows."""
    distances = squared_distances(rows, rows)[np.triu_indices(len(rows), 1)]
    return float(np.sqrt(np.median(distances))) if len(distances) else 1.0


def squared_distances(rows: Matrix, others: Matrix) -> Matrix:
    distances = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2.0 * rows @ others.T
    return np.asarray(np.maximum(distances, 0.0))


def _kernel(blocks: Sequence[KernelBlock], rows: Matrix, others: Matrix) -> Matrix:
    kernels: list[Any] = [block.kernel(rows, others) for block in blocks]
    return np.asarray(sum(kernels))


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
            winners, losers = self.rows[pairs.winner], self.rows[pairs.loser]
            differences[folds == fold] = model.utilities(winners) - model.utilities(losers)
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
    scale = Scale.fitted(rows[trained_on], n_columns)
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
    """The inner fold of each pair; all pairs of a topic are in the same one."""
    names, numbers = np.unique(topic, return_inverse=True)
    if len(names) < 2:
        raise RostrumError("pairs of at least two topics are needed: a model is judged on topics it has not seen")
    return np.asarray(np.random.default_rng(seed).permutation(len(names))[numbers] % _INNER_FOLDS)


def length_weights(lengths: Vector, pairs: PreferencePairs) -> Vector:
    """Weights of pairs under which, among pairs of like difference in length, the longer text wins half of the time."""
    difference = np.log1p(lengths[pairs.winner]) - np.log1p(lengths[pairs.loser])
    edges = np.quantile(np.abs(difference), np.linspace(0.0, 1.0, _LENGTH_BINS + 1)[1:-1])
    bins = np.digitize(np.abs(difference), edges)
    weights = np.ones(len(difference))
    for number in np.unique(bins):
        longer_won = difference[bins == number] > 0
        share = np.clip(longer_won.mean(), 0.02, 0.98)
        weights[bins == number] = np.where(longer_won, 0.5 / share, 0.5 / (1.0 - share))
    return np.asarray(weights / weights.mean())
