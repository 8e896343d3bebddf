"""The published system: an SVM with an RBF kernel over the difference of two arguments' features, and one for ranks.

Kernels between pairs are made from inner products of single arguments: a pair is never written out in its 64,000
dimensions.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.evaluation.convincing.linguistic import Values

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Integers = NDArray[np.int64]


def inner_products(features: Sequence[tuple[Values, Values]]) -> tuple[Matrix, int]:
    """(inner products of all texts, number of features), numeric features standardised over all texts.

    Presence of an n-gram counts as 1. Only the features' spread is taken from texts to be judged, never a label.
    """
    from sklearn.feature_extraction import DictVectorizer

    sparse = DictVectorizer(dtype=np.float64).fit_transform([values for values, _ in features])
    products = np.asarray((sparse @ sparse.T).todense(), dtype=np.float64)
    numeric = [values for _, values in features]
    if not any(numeric):
        return products, sparse.shape[1]
    dense = DictVectorizer(sparse=False).fit_transform(numeric)
    spread = dense.std(axis=0)
    dense = (dense - dense.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return products + dense @ dense.T, sparse.shape[1] + dense.shape[1]


def pair_products(products: Matrix, pairs: Integers, others: Integers) -> Matrix:
    """Inner products of differences: rows (a, b) of `pairs` against rows (c, d) of `others`."""
    (a, b), (c, d) = pairs.T, others.T
    # by rows first: what is gathered is small and used often
    left = products[a] - products[b]
    return np.asarray(left[:, c] - left[:, d])


def pair_squares(products: Matrix, pairs: Integers) -> Vector:
    """Squared lengths of differences."""
    a, b = pairs.T
    return np.asarray(products[a, a] + products[b, b] - 2.0 * products[a, b])


class PairClassifier:
    """Which of two texts wins, by an SVM with an RBF kernel on their difference."""

    def __init__(self, products: Matrix, gamma: float, penalty: float) -> None:
        self._products = products
        self._gamma = gamma
        self._penalty = penalty

    def fit(self, pairs: Integers, first_wins: NDArray[np.bool_]) -> "PairClassifier":
        from sklearn.svm import SVC

        machine = SVC(C=self._penalty, kernel="precomputed", cache_size=1000)
        machine.fit(self._kernel(pairs, pairs), first_wins)
        self._support = pairs[machine.support_]
        self._weights = machine.dual_coef_[0]
        self._offset = float(machine.intercept_[0])
        return self

    def margins(self, pairs: Integers) -> Vector:
        """Positive where the first wins."""
        margins = np.empty(len(pairs))
        for part in _blocks(len(pairs)):
            margins[part] = self._kernel(pairs[part], self._support) @ self._weights
        return margins + self._offset

    def _kernel(self, pairs: Integers, others: Integers) -> Matrix:
        """Filled block by block: of 11,000 pairs the whole takes a gigabyte, and is not to be there twice."""
        kernel = np.empty((len(pairs), len(others)))
        squares = pair_squares(self._products, others)
        for part in _blocks(len(pairs)):
            products = pair_products(self._products, pairs[part], others)
            distances = pair_squares(self._products, pairs[part])[:, None] + squares - 2.0 * products
            np.exp(-self._gamma * distances, out=kernel[part])
        return kernel


def _blocks(length: int, size: int = 500) -> list[slice]:
    return [slice(start, start + size) for start in range(0, length, size)]


def predicted_ranks(products: Matrix, train: Integers, ranks: Vector, test: Integers, gamma: float) -> Vector:
    """Ranks of the test texts by support vector regression."""
    from sklearn.svm import SVR

    squares = np.diag(products)
    kernel = np.exp(-gamma * (squares[:, None] + squares - 2.0 * products))
    machine = SVR(kernel="precomputed", C=1.0, epsilon=0.1)
    machine.fit(kernel[np.ix_(train, train)], ranks)
    return np.asarray(machine.predict(kernel[np.ix_(test, train)]))
