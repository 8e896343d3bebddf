import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from pipeline.evaluation.convincing.support_vectors import (
    PairClassifier,
    inner_products,
    pair_products,
    pair_squares,
    predicted_ranks,
)


@pytest.fixture(scope="module")
def texts():
    return np.random.default_rng(0).normal(size=(30, 4))


@pytest.fixture(scope="module")
def pairs():
    random = np.random.default_rng(1)
    return np.array([random.choice(30, 2, replace=False) for _ in range(120)])


def test_products_of_differences(texts, pairs):
    differences = texts[pairs[:, 0]] - texts[pairs[:, 1]]
    products = texts @ texts.T
    assert pair_products(products, pairs, pairs[:7]) == pytest.approx(differences @ differences[:7].T)
    assert pair_squares(products, pairs) == pytest.approx((differences**2).sum(axis=1))


def test_is_an_rbf_machine_on_differences(texts, pairs):
    differences = texts[pairs[:, 0]] - texts[pairs[:, 1]]
    wins = differences[:, 0] + 0.5 * differences[:, 1] ** 3 > 0
    expected = SVC(C=1.0, gamma=0.3).fit(differences[:80], wins[:80]).decision_function(differences[80:])
    machine = PairClassifier(texts @ texts.T, gamma=0.3, penalty=1.0).fit(pairs[:80], wins[:80])
    assert machine.margins(pairs[80:]) == pytest.approx(expected, abs=1e-2)
    assert len(machine.margins(pairs[:0])) == 0


def test_ranks_are_those_of_a_regression(texts):
    ranks = texts[:, 2]
    expected = SVR(C=1.0, gamma=0.2, epsilon=0.1).fit(texts[:20], ranks[:20]).predict(texts[20:])
    found = predicted_ranks(texts @ texts.T, np.arange(20), ranks[:20], np.arange(20, 30), gamma=0.2)
    assert found == pytest.approx(expected, abs=1e-2)


def test_presence_counts_and_numbers_are_standardised():
    features = [({"w:a": 1.0, "w:b": 1.0}, {"n": 1.0}), ({"w:a": 1.0}, {"n": 3.0})]
    products, size = inner_products(features)
    assert size == 3
    assert products == pytest.approx(np.array([[2.0 + 1.0, 1.0 - 1.0], [1.0 - 1.0, 1.0 + 1.0]]))


def test_presence_alone():
    products, size = inner_products([({"w:a": 1.0}, {}), ({"w:b": 1.0}, {})])
    assert size == 2
    assert products == pytest.approx(np.eye(2))
