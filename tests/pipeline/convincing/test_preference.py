import numpy as np
import pytest
from scipy.optimize import minimize

from pipeline.convincing.preference import KernelBlock, best_temperature, fit, median_length_scale, squared_distances

BLOCKS = [KernelBlock(slice(0, 2), 1.5, 1.2), KernelBlock(slice(2, 5), 0.7, 2.0)]


def problem(n_texts=25, n_pairs=200, seed=0):
    """Texts of five numbers whose utility is a smooth function of them, and noisy choices between them."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(n_texts, 5))
    utility = 2.0 * np.sin(features[:, 0]) + features[:, 3]
    pairs = np.array([random.choice(n_texts, 2, replace=False) for _ in range(n_pairs)])
    first_wins = random.random(n_pairs) < 1 / (1 + np.exp(-3 * (utility[pairs[:, 0]] - utility[pairs[:, 1]])))
    winner = np.where(first_wins, pairs[:, 0], pairs[:, 1])
    loser = np.where(first_wins, pairs[:, 1], pairs[:, 0])
    return features, utility, winner, loser


def test_with_all_texts_as_landmarks_it_is_the_exact_posterior_mode():
    """Against a general minimiser of the Gaussian process's own objective, over the utilities themselves."""
    features, _, winner, loser = problem(n_texts=12, n_pairs=60)
    used = np.unique([winner, loser])
    kernel = sum(b.kernel(features[used], features[used]) for b in BLOCKS)
    inverse = np.linalg.inv(kernel)
    place = {text: i for i, text in enumerate(used)}
    win, lose = (np.array([place[text] for text in texts]) for texts in (winner, loser))

    def objective(utilities):
        return np.sum(np.logaddexp(0, utilities[lose] - utilities[win])) + 0.5 * utilities @ inverse @ utilities

    expected = minimize(objective, np.zeros(len(used)), method="BFGS", options={"gtol": 1e-8}).x
    found = fit(features, winner, loser, BLOCKS).utilities(features[used])
    assert found == pytest.approx(expected, abs=2e-3)


def test_finds_the_order_of_texts_it_has_not_seen():
    features, utility, winner, loser = problem(n_texts=150, n_pairs=1500)
    seen = (winner < 100) & (loser < 100)
    model = fit(features, winner[seen], loser[seen], BLOCKS, landmarks=60)
    assert np.corrcoef(model.utilities(features[100:]), utility[100:])[0, 1] > 0.9


def test_swapping_two_texts_swaps_the_probability():
    features, _, winner, loser = problem()
    model = fit(features, winner, loser, BLOCKS).calibrated(0.8)
    utilities = model.utilities(features)
    differences = utilities[:5] - utilities[5:10]
    assert model.probabilities(differences) == pytest.approx(1 - model.probabilities(-differences))


def test_swapping_all_answers_turns_utilities_over():
    features, _, winner, loser = problem()
    one, other = fit(features, winner, loser, BLOCKS), fit(features, loser, winner, BLOCKS)
    assert one.utilities(features) == pytest.approx(-other.utilities(features), abs=1e-6)


def test_gradient_is_that_of_utilities():
    features, _, winner, loser = problem()
    model = fit(features, winner, loser, BLOCKS)
    row = np.array([[0.3, -0.2, 0.5, 0.1, -1.0]])
    small = 1e-6
    numeric = [
        (model.utilities(row + small * unit) - model.utilities(row - small * unit))[0] / (2 * small)
        for unit in np.eye(5)
    ]
    assert model.gradient(row)[0] == pytest.approx(numeric, abs=1e-6)


def test_contributions_add_up_to_the_difference():
    features, _, winner, loser = problem()
    model = fit(features, winner, loser, BLOCKS)
    parts = model.contributions(features[3], features[7], steps=64)
    utilities = model.utilities(features)
    assert parts.sum() == pytest.approx(utilities[3] - utilities[7], abs=1e-3)


def test_a_column_that_is_equal_contributes_nothing():
    features, _, winner, loser = problem()
    model = fit(features, winner, loser, BLOCKS)
    other = features[3].copy()
    other[0] += 1.0
    parts = model.contributions(features[3], other)
    assert parts[1:] == pytest.approx(np.zeros(4))


def test_pair_weights_are_repetitions():
    features, _, winner, loser = problem(n_pairs=30)
    doubled = fit(features, np.tile(winner, 2), np.tile(loser, 2), BLOCKS)
    weighted = fit(features, winner, loser, BLOCKS, pair_weights=np.full(len(winner), 2.0))
    assert doubled.utilities(features) == pytest.approx(weighted.utilities(features), abs=1e-4)


def test_temperature_of_known_odds():
    random = np.random.default_rng(0)
    differences = random.normal(size=40_000)
    wins = random.random(len(differences)) < 1 / (1 + np.exp(-2.5 * differences))
    assert best_temperature(np.where(wins, differences, -differences)) == pytest.approx(2.5, rel=0.05)


def test_one_pair_is_enough():
    model = fit(np.array([[0.0], [1.0]]), np.array([1]), np.array([0]), [KernelBlock(slice(0, 1), 1.0, 1.0)])
    low, high = model.utilities(np.array([[0.0], [1.0]]))
    assert high > low


def test_distances():
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert squared_distances(rows, rows) == pytest.approx(np.array([[0.0, 25.0], [25.0, 0.0]]))
    assert median_length_scale(rows) == pytest.approx(5.0)
    assert median_length_scale(rows[:1]) == 1.0
