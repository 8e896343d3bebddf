"""Ways to write key points that others are compared with, on texts whose groups are plain to see."""

import numpy as np
import pytest

from pipeline.keypoints.evaluate.writing import GENERATORS, Side
from pipeline.matching.matchers.words import TokenOverlap

TEXTS = [
    "Uniforms reduce bullying",
    "Uniforms reduce bullying among pupils",
    "Uniforms reduce the bullying of pupils",
    "Uniforms cost parents money",
    "Uniforms cost families money",
]


def written(name, texts=TEXTS, count=2):
    side = Side("We should ban uniforms", texts, (), TokenOverlap(threshold=0.5), count, np.random.default_rng(0))
    return GENERATORS[name](side)


def test_a_large_language_model_writes_only_where_one_is_asked():
    assert written("large language model") == []


@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "large language model"])
def test_each_writes_sentences_of_the_side_and_nothing_where_there_are_none(name):
    assert all(text in TEXTS for texts in written(name) for text in texts)
    assert written(name, []) == [[]]


def test_clusters_have_one_sentence_each():
    (texts,) = written("clusters")
    assert sorted(text.split()[1] for text in texts) == ["cost", "reduce"]


class Unsure(TokenOverlap):
    """Similarities whose last bits are those of a processor."""

    def scores(self, topic, arguments, key_points):
        exact = super().scores(topic, arguments, key_points)
        return exact + self.threshold * 1e-9 * np.arange(exact.size).reshape(exact.shape)


@pytest.mark.parametrize("noise", [1.0, -1.0])
def test_of_two_sentences_in_a_cluster_the_shorter_one_stands_for_both(noise):
    texts = ["Uniforms cost parents a lot", "Uniforms cost parents very much a lot", "Nobody wants to wear one"]
    side = Side("We should ban uniforms", texts, (), Unsure(threshold=noise), 2, np.random.default_rng(0))
    (found,) = GENERATORS["clusters"](side)
    assert [text for text in found if "cost" in text] == ["Uniforms cost parents a lot"]


def test_page_rank_takes_what_most_lead_to_first_and_nothing_twice():
    (texts,) = written("page rank")
    assert texts[0].startswith("Uniforms reduce")
    assert sorted(text.split()[1] for text in texts) == ["cost", "reduce"]


def test_chance_draws_several_sets_of_the_asked_size():
    sets = written("random sentences")
    assert len(sets) == 20
    assert {len(texts) for texts in sets} == {2}
    assert len({tuple(texts) for texts in sets}) > 1
