import numpy as np
import pytest

from pipeline.graph.mace import UNDECIDED, Mace, Votes, run_mace


def simulated(competence, n_items=400, per_item=5, n_labels=3, seed=0):
    """(votes, true labels): knowing workers give the true label, guessing ones mostly say 0."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_labels, n_items)
    votes = []
    for item in range(n_items):
        for worker in random.choice(len(competence), per_item, replace=False):
            knows = random.random() < competence[worker]
            label = truth[item] if knows else random.choice(n_labels, p=[0.6, 0.2, 0.2])
            votes.append((item, worker, label))
    return Votes.from_triples(votes, n_items, len(competence), n_labels), truth


def test_recovers_competences_and_labels_of_a_simulation():
    competence = np.array([0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1, 0.05])
    votes, truth = simulated(competence)
    found = run_mace(votes, restarts=5)
    assert np.abs(found.competence - competence).max() < 0.12
    assert np.corrcoef(found.competence, competence)[0, 1] > 0.98
    counts = np.zeros((400, 3))
    np.add.at(counts, (votes.items, votes.labels), 1)
    majority = np.mean(counts.argmax(axis=1) == truth)
    right = np.mean(found.labels() == truth)
    assert right > 0.9
    assert right > majority + 0.03


def test_competent_minority_outvotes_guessers():
    votes, truth = simulated([0.98, 0.98, 0.02, 0.02, 0.02], n_items=200)
    assert np.mean(run_mace(votes, restarts=5).labels() == truth) > 0.95


def test_keep_leaves_the_least_certain_items_undecided():
    votes, truth = simulated([0.9, 0.7, 0.5, 0.3, 0.2, 0.1], per_item=3)
    found = run_mace(votes, restarts=3)
    labels = found.labels(keep=0.8)
    undecided = labels == UNDECIDED
    assert 0.1 < undecided.mean() <= 0.2
    assert found.entropies()[undecided].min() > found.entropies()[~undecided].max()
    assert np.mean(labels[~undecided] == truth[~undecided]) > np.mean(found.labels() == truth)


def test_equal_seeds_give_equal_results():
    votes, _ = simulated([0.9, 0.5, 0.2], per_item=3, n_items=50)
    first, second = (run_mace(votes, restarts=3, seed=7) for _ in range(2))
    assert np.array_equal(first.probabilities, second.probabilities)


def test_everybody_agrees():
    votes = Votes.from_triples([(i, w, i % 2) for i in range(20) for w in range(3)], 20, 3, 3)
    found = run_mace(votes, restarts=2)
    assert found.labels().tolist() == [i % 2 for i in range(20)]
    assert found.competence.min() > 0.9


def test_entropy_of_a_certain_and_an_open_label():
    found = Mace(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.5]), 0.0)
    assert found.entropies() == pytest.approx([0.0, np.log(2)])


def test_expectation_by_hand():
    """Competence 1/2, habits 1/2: the label given is the true one with (1/4 + 1/2) / (1/4 + 1/2 + 1/4)."""
    from pipeline.graph.mace import _expectation

    votes = Votes.from_triples([(0, 0, 1)], 1, 1, 2)
    probabilities, known, log_likelihood = _expectation(votes, np.array([0.5]), np.array([[0.5, 0.5]]))
    assert probabilities[0] == pytest.approx([0.25, 0.75])
    assert known[0] == pytest.approx(0.75 * 0.5 / 0.75)
    assert log_likelihood == pytest.approx(np.log(0.5))
