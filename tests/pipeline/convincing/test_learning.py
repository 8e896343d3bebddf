import numpy as np
import pytest

from pipeline.convincing.preference import PreferencePairs, learn, length_weights
from pipeline.convincing.representation import Scale, relative_to_topic
from pipeline.errors import RostrumError


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
    scale = Scale.of(rows, 1)
    assert scale(rows)[:, 0].mean() == pytest.approx(0.0)
    assert scale(np.array([[1000.0, 5.0]])).tolist() == [[4.0, 5.0]]
    assert Scale.of(np.ones((3, 1)), 1)(np.ones((1, 1))).tolist() == [[0.0]]
