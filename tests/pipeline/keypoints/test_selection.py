"""Choosing key points: greedy facility location against every possible choice."""

from functools import partial
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.keypoints.generation import select


def objective(matches, quality, chosen, threshold=0.3):
    """Over all texts, the sum of the best chosen score from the threshold on, times the quality of its key point."""
    return (np.where(matches >= threshold, matches, 0.0) * quality)[:, list(chosen)].max(axis=1).sum()


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_greedy_comes_within_its_bound_of_the_best_choice(seed, most):
    random = np.random.default_rng(seed)
    matches, quality = random.random((8, 6)), random.random(6)
    chosen = select(matches, quality, np.eye(6), threshold=0.3, same=0.3, fewest=most, most=most)
    best = max(objective(matches, quality, each) for each in combinations(range(6), most))
    assert objective(matches, quality, chosen) >= (1 - 1 / np.e) * best - 1e-9


def test_what_says_the_same_is_taken_once():
    matches = np.array([[0.9, 0.8], [0.9, 0.8], [0.0, 0.7]])
    similar = np.array([[1.0, 0.4], [0.9, 1.0]])  # in one direction only
    assert select(matches, [1, 1], similar, threshold=0.6, same=0.6) == [1]


def test_after_the_fewest_a_candidate_must_be_worth_its_place():
    matches = np.eye(100)[:, :20]
    assert len(select(matches, np.ones(20), np.eye(20), threshold=0.5, same=0.5, fewest=5, most=10)) == 5
    matches[:40, 6] = 1.0
    chosen = select(matches, np.ones(20), np.eye(20), threshold=0.5, same=0.5, fewest=5, most=10)
    assert chosen[0] == 6


def test_candidates_that_nothing_matches_are_not_taken():
    assert select(np.zeros((3, 2)), [1, 1], np.eye(2), threshold=0.5, same=0.5) == []
    assert select(np.zeros((3, 0)), [], np.zeros((0, 0)), threshold=0.5, same=0.5) == []


def test_what_fewer_texts_match_than_wanted_only_fills_up_to_the_fewest():
    matches = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    ask = partial(select, matches, np.ones(3), np.eye(3), threshold=0.5, same=0.9, least_texts=2)
    assert ask(fewest=1) == [0]
    assert len(ask(fewest=2)) == 2
