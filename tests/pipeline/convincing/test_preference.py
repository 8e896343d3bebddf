import numpy as np
import pytest
from scipy.optimize import minimize

from pipeline.convincing.preference import (
    KernelBlock,
    PreferencePairs,
    best_temperature,
    fit,
    learn,
    length_weights,
    median_length_scale,
    squared_distances,
)
from pipeline.convincing.representation import Scale, relative_to_topic
from pipeline.errors import RostrumError

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


def topics_of_texts(n_topics=6, per_topic=12, seed=0):
    """Rows of two features and three encoder columns; the second feature decides, the topic's mean does not."""
    random = np.random.default_rng(seed)
    topic_of = np.repeat(np.arange(n_topics), per_topic)
    rows = random.normal(size=(len(topic_of), 5)) * [1.0, 20.0, 1.0, 1.0, 1.0] + [0.0, 100.0, 0.0, 0.0, 0.0]
    winner, loser = [], []
    for topic in range(n_topics):
        members = np.flatnonzero(topic_of == topic)
        for one in members:
            for other in members[members > one]:
                better, worse = (one, other) if rows[one, 1] > rows[other, 1] else (other, one)
                flipped = random.random() < 0.1
                winner.append(worse if flipped else better)
                loser.append(better if flipped else worse)
    winner, loser = np.array(winner), np.array(loser)
    return rows, PreferencePairs(winner, loser, topic_of[winner])


def test_learns_what_holds_on_other_topics():
    rows, pairs = topics_of_texts()
    learned = learn(rows, 2, pairs.where(pairs.topic != 0))
    utilities = learned.utilities(rows)
    unseen = pairs.where(pairs.topic == 0)
    assert np.mean(utilities[unseen.winner] > utilities[unseen.loser]) > 0.8
    probabilities = learned.model.probabilities(utilities[unseen.winner] - utilities[unseen.loser])
    assert np.mean(probabilities) == pytest.approx(0.85, abs=0.12)


def test_rounded_rows_are_exactly_what_half_precision_keeps():
    rows, pairs = topics_of_texts(n_topics=3, per_topic=6)
    landmarks = learn(rows, 2, pairs, rounded_to=np.float16).model.landmarks
    assert np.array_equal(landmarks, landmarks.astype(np.float16).astype(np.float64))


def test_a_single_topic_is_not_enough():
    rows, pairs = topics_of_texts(n_topics=1)
    with pytest.raises(RostrumError, match="two topics"):
        learn(rows, 2, pairs)


def test_with_length_weights_length_tells_nothing():
    random = np.random.default_rng(0)
    lengths = random.integers(20, 400, 300).astype(float)
    pairs = np.array([random.choice(300, 2, replace=False) for _ in range(4000)])
    longer = np.where(lengths[pairs[:, 0]] >= lengths[pairs[:, 1]], pairs[:, 0], pairs[:, 1])
    shorter = pairs.sum(axis=1) - longer
    wins = random.random(len(pairs)) < 0.8
    chosen = PreferencePairs(
        np.where(wins, longer, shorter), np.where(wins, shorter, longer), np.zeros(len(pairs), int)
    )
    weights = length_weights(lengths, chosen)
    longer_wins = lengths[chosen.winner] > lengths[chosen.loser]
    assert longer_wins.mean() > 0.75
    assert np.average(longer_wins, weights=weights) == pytest.approx(0.5, abs=0.01)
    assert weights.mean() == pytest.approx(1.0)


def test_vectors_relative_to_their_topic():
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    centred, centrality = relative_to_topic(vectors, np.array([0, 0, 1]))
    assert centred == pytest.approx(np.array([[0.5, -0.5], [-0.5, 0.5], [0.0, 0.0]]))
    assert centrality == pytest.approx(np.zeros(3))


def test_the_odd_one_out_is_the_least_central():
    vectors = np.array([[1.0, 0.1], [1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    _, centrality = relative_to_topic(vectors, np.zeros(4, int))
    assert centrality.argmin() == 3
    assert centrality.mean() == pytest.approx(0.0, abs=1e-12)


def test_scale_standardises_and_caps_the_first_columns_only():
    rows = np.array([[0.0, 7.0], [2.0, 9.0], [4.0, -300.0]])
    scale = Scale.fitted(rows, 1)
    assert scale(rows)[:, 0].mean() == pytest.approx(0.0)
    assert scale(np.array([[1000.0, 5.0]])).tolist() == [[4.0, 5.0]]
    assert Scale.fitted(np.ones((3, 1)), 1)(np.ones((1, 1))).tolist() == [[0.0]]
