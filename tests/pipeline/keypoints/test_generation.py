"""Key points of one side: on its side, the same in any order, and of many texts in bounded space."""

import numpy as np

from pipeline.keypoints import generation
from pipeline.keypoints.generation import generate, sample
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


def test_in_speeches_what_the_other_side_answers_in_the_same_words_is_taken():
    spoken = written(PRO, others=CON, style="spoken", fewest=2)
    assert "Phones let children reach their parents" in spoken


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
