"""Key points of one side: on its side, the same in any order, and of many texts in bounded space."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.keypoints import generation
from pipeline.keypoints.candidates import Candidate
from pipeline.keypoints.generation import FAIR, GOOD, GOOD_ASIDE, generate, sample, select
from pipeline.matching.matchers.words import TokenOverlap

TOPIC = "We should ban phones in schools"
PRO = [
    "Phones distract pupils from learning",
    "Phones distract pupils in class",
    "Phones distract pupils every day",
    "Phones let children reach their parents",  # said by somebody on the wrong side
]
CON = [
    "Phones let children reach their parents quickly",
    "Phones let children reach their parents anywhere",
    "Phones let children reach their parents at school",
]
MATCHER = TokenOverlap(threshold=0.6)


def written(texts, **more):
    return [each.text for each in generate(TOPIC, texts, MATCHER, **{"fewest": 1} | more).key_points]


def test_what_fits_the_other_side_better_is_not_taken():
    assert "Phones let children reach their parents" in written(PRO)
    assert "Phones let children reach their parents" not in written(PRO, others=CON)


def test_each_key_point_says_how_it_leans():
    made = generate(TOPIC, PRO, MATCHER, fewest=1, others=CON)
    assert all(leaning is not None and leaning > 0 for leaning in made.leanings)
    assert generate(TOPIC, PRO, MATCHER, fewest=1).leanings == (None,) * len(written(PRO))


def test_the_order_of_the_texts_makes_no_difference():
    assert set(written(PRO)) == set(written(PRO[::-1]))
    words = [f"text {number}" for number in range(100)]
    assert {words[place] for place in sample(words, 10)} == {words[::-1][place] for place in sample(words[::-1], 10)}


def test_of_very_many_texts_a_sample_is_read_and_all_are_scored(monkeypatch):
    monkeypatch.setattr(generation, "SAMPLE", 3)
    monkeypatch.setattr(generation, "CHUNK", 2)
    asked = []

    class Watched(TokenOverlap):
        def scores(self, topic, arguments, key_points):
            asked.append((len(arguments), len(key_points)))
            return super().scores(topic, arguments, key_points)

    made = generate(TOPIC, [*PRO, *CON], Watched(threshold=0.6), fewest=1)
    assert made.scores.shape == (7, len(made.key_points))
    assert made.scores.dtype == np.float32
    assert max(rows for rows, _ in asked) == 3
    for number, point in enumerate(made.key_points):
        assert made.scores[point.source, number] == 1.0


def test_key_points_are_written_for_what_many_say():
    arguments = [f"Phones distract pupils from {lesson}" for lesson in ("maths", "history", "music")]
    arguments += ["Phones cost parents a fortune", "Good evening to you"]
    generated = generate("We should ban phones.", arguments, TokenOverlap(threshold=0.7))
    assert generated.key_points[0].text.startswith("Phones distract pupils from")
    assert "Phones cost parents a fortune" in [each.text for each in generated.key_points]
    assert generated.scores.shape == (5, len(generated.key_points))


def test_an_aside_is_no_key_point_where_something_central_can_be_said():
    arguments = [f"Phones distract pupils from {lesson}" for lesson in ("maths", "history", "music")]
    generated = generate(
        "We should ban phones.",
        [*arguments, "Somebody lost a phone in Venice"],
        TokenOverlap(threshold=0.7),
        fewest=1,
        most=1,
    )
    assert [each.text[:22] for each in generated.key_points] == ["Phones distract pupils"]


def test_no_key_points_of_nothing():
    generated = generate("We should ban phones.", ["Well", "They do"], TokenOverlap())
    assert generated.key_points == ()
    assert generated.scores.shape == (2, 0)


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


def of_speeches(pool, texts, **more):
    made = generate(TOPIC, texts, TokenOverlap(), style="spoken", candidates_of=lambda: pool, **more)
    return {point.text for point in made.key_points}


def test_in_speeches_what_the_other_side_answers_in_the_same_words_is_taken():
    pool = [Candidate("Phones let children reach their parents", 3, 0.9)]
    assert of_speeches(pool, PRO, others=CON) == {"Phones let children reach their parents"}


def test_a_clause_of_a_speech_has_to_be_good():
    def taken(quality, times=2):
        pool = [Candidate("Phones distract pupils", 0, 0.9), Candidate("Parents call their children", 1, quality)]
        return of_speeches(pool, ["phones distract pupils", *["parents call their children"] * times])

    assert taken(GOOD) == {"Phones distract pupils", "Parents call their children"}
    assert taken(GOOD - 0.05) == {"Phones distract pupils"}
    assert taken(GOOD, times=1) == {"Phones distract pupils"}
    assert taken(GOOD_ASIDE, times=1) == {"Phones distract pupils", "Parents call their children"}


def test_the_more_is_said_the_more_often_a_point_must_be_made():
    pool = [Candidate("Phones distract pupils", 0, 0.9), Candidate("Parents call their children", 6, 0.9)]
    said = [*["phones distract pupils"] * 6, "parents call their children"]
    assert of_speeches(pool, said) == {"Phones distract pupils", "Parents call their children"}
    assert of_speeches(pool, [*said, *["good evening to everybody"] * 100]) == {"Phones distract pupils"}


def test_a_side_that_says_very_much_needs_better_clauses():
    def taken(quality, others, stance=None):
        pool = [Candidate("Phones distract pupils", 0, 0.9), Candidate("Parents call their children", 1, quality)]
        said = ["phones distract pupils", *["parents call their children"] * 4, *["good evening to everybody"] * others]
        return of_speeches(pool, said, stance=stance) - {"Phones distract pupils"}

    assert taken(GOOD, others=20) == {"Parents call their children"}
    assert taken(GOOD, others=200) == set()
    assert taken(GOOD + 0.05, others=200) == {"Parents call their children"}


def test_a_side_that_would_have_no_key_point_has_its_best_one():
    pool = [Candidate("Phones distract pupils", 0, GOOD - 0.1), Candidate("Parents call their children", 2, GOOD - 0.1)]
    said = ["phones distract pupils", "phones distract pupils in class", "parents call their children"]
    assert of_speeches(pool, said, stance="pro") == {"Phones distract pupils"}
    assert of_speeches(pool, said) == set(), "nobody knows that these people argue"
    poor = [replace(candidate, quality=FAIR - 0.05) for candidate in pool]
    assert of_speeches(poor, said, stance="pro") == set(), "none rather than a bad one"
