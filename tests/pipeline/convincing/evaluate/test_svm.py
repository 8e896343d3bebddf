"""Against scikit-learn on features that are written out."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.svm import SVC, NuSVR

from pipeline.convincing.evaluate.svm import Difference, Joined, inner_products, pair_margins, predicted_ranks, presence


@pytest.fixture(scope="module")
def texts():
    return np.random.default_rng(0).normal(size=(30, 4))


@pytest.fixture(scope="module")
def pairs():
    random = np.random.default_rng(1)
    return np.array([random.choice(30, 2, replace=False) for _ in range(120)])


@pytest.mark.parametrize(("kernel", "penalty"), [(Joined, 1.0), (Joined, 10.0), (Difference, 1.0)])
def test_is_an_rbf_machine_on_pairs_that_are_written_out(kernel, penalty, texts, pairs):
    """As LIBSVM's defaults have it: gamma is one over the number of features, which are eight side by side."""
    first, second = texts[pairs[:, 0]], texts[pairs[:, 1]]
    written = np.hstack([first, second]) if kernel is Joined else first - second
    wins = first[:, 0] - second[:, 0] + 0.5 * (first[:, 1] - second[:, 1]) ** 3 > 0
    reference = SVC(C=penalty, gamma=1 / written.shape[1]).fit(written[:80], wins[:80])
    expected = reference.decision_function(written[80:])
    machine = kernel(texts @ texts.T, 4)
    assert pair_margins(machine, pairs[:80], wins[:80], pairs[80:], penalty) == pytest.approx(expected, abs=1e-2)
    assert len(pair_margins(machine, pairs[:80], wins[:80], pairs[:0])) == 0


def test_swapping_two_arguments_swaps_the_answer_of_differences(texts, pairs):
    wins = texts[pairs[:, 0], 0] > texts[pairs[:, 1], 0]
    both, labels = np.vstack([pairs[:80], pairs[:80, ::-1]]), np.concatenate([wins[:80], ~wins[:80]])
    machine = Difference(texts @ texts.T, 4)
    there, back = (pair_margins(machine, both, labels, test) for test in (pairs[80:], pairs[80:, ::-1]))
    assert there == pytest.approx(-back, abs=1e-2)


def test_ranks_are_those_of_a_nu_regression_on_standardised_ranks(texts):
    ranks = texts[:, 2]
    mean, spread = ranks[:20].mean(), ranks[:20].std()
    machine = NuSVR(C=1.0, nu=0.5, gamma=1 / 4).fit(texts[:20], (ranks[:20] - mean) / spread)
    found = predicted_ranks(texts @ texts.T, 4, np.arange(20), ranks[:20], np.arange(20, 30))
    assert found == pytest.approx(machine.predict(texts[20:]) * spread + mean, abs=1e-2)


def test_ranks_of_pageranks_size_are_learned():
    """PageRanks of 30 arguments lie around .03; an SVM with a margin of .1 around them predicts a constant."""
    random = np.random.default_rng(2)
    texts = random.normal(size=(200, 3))
    ranks = np.exp(texts[:, 0]) / np.exp(texts[:, 0]).sum()
    assert np.mean(ranks < 0.1) > 0.9
    found = predicted_ranks(texts @ texts.T, 3, np.arange(150), ranks[:150], np.arange(150, 200))
    assert spearmanr(found, ranks[150:]).statistic > 0.8


def test_features_as_they_are_and_standardised():
    features = [{"n": 1.0, "m": 5.0}, {"n": 3.0, "m": 5.0}]
    products, size = inner_products(features, standardised=False)
    assert size == 2
    assert products == pytest.approx(np.array([[26.0, 28.0], [28.0, 34.0]]))
    products, _ = inner_products(features, standardised=True)
    # n becomes -1 and 1, m, which never changes, 0
    assert products == pytest.approx(np.array([[1.0, -1.0], [-1.0, 1.0]]))


def test_presence_and_families_without_a_feature():
    assert presence([{"p:NOUN": 7.0}, {}]) == [{"p:NOUN": 1.0}, {}]
    products, size = inner_products([{}, {}], standardised=True)
    assert size == 0
    assert not products.any()
