import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from pipeline.counter.methods.cosine import cosine
from pipeline.counter.methods.jensen_shannon import jensen_shannon
from pipeline.counter.methods.tf_idf import TfIdfCosine
from pipeline.counter.texts import Vocabulary, normalised
from tests.pipeline.counter.speeches import CANDIDATES, EMPTY, FIRST, SECOND, SUPPORTING, THIRD, WORDS, speech


def test_cosine_of_term_frequencies_by_hand() -> None:
    # supporting: a 2/5, b c d 1/5; first: a 2/4, b e 1/4; second: c 2/4, e f 1/4; third shares nothing
    scores = cosine(Vocabulary(WORDS), SUPPORTING, CANDIDATES)
    length, other = math.sqrt(4 + 1 + 1 + 1), math.sqrt(4 + 1 + 1)
    assert scores == pytest.approx([(4 + 1) / (length * other), 2 / (length * other), 0.0])


@pytest.mark.parametrize("vocabulary", [Vocabulary(WORDS), Vocabulary()], ids=["closed", "open"])
def test_js_is_one_less_the_squared_distance_of_scipy(vocabulary: Vocabulary) -> None:
    ours = np.array([2, 1, 1, 1, 0, 0, 0, 0]) / 5
    theirs = (
        np.array([2, 1, 0, 0, 1, 0, 0, 0]) / 4,
        np.array([0, 0, 2, 0, 1, 1, 0, 0]) / 4,
        np.array([0, 0, 0, 0, 0, 0, 1, 1]) / 2,
    )
    expected = [1 - jensenshannon(ours, each, base=2) ** 2 for each in theirs]
    assert jensen_shannon(vocabulary, SUPPORTING, CANDIDATES) == pytest.approx(expected)


def test_js_is_one_for_equal_and_zero_for_disjoint_and_empty_speeches() -> None:
    vocabulary = Vocabulary(WORDS)
    assert jensen_shannon(vocabulary, SUPPORTING, [SUPPORTING, THIRD, EMPTY]) == pytest.approx([1.0, 0.0, 0.0])
    assert jensen_shannon(vocabulary, EMPTY, [FIRST]) == pytest.approx([0.0])


def test_tf_idf_weighs_down_what_every_speech_has() -> None:
    # of three speeches all have a, one has b: idf 1 and ln(4 / 2) + 1
    training = [speech("1", "Cat dog."), speech("2", "Cat."), speech("3", "Cat.")]
    method = TfIdfCosine(training)
    rare = math.log(2) + 1
    candidates = [speech("a", "Cat."), speech("b", "Dog.")]
    length = math.sqrt(1 + rare**2)
    assert method(speech("s", "Cat dog."), candidates) == pytest.approx([1 / length, rare / length])


def test_the_vocabulary_has_the_terms_of_enough_pairs() -> None:
    pairs = [(SUPPORTING, FIRST), (SUPPORTING, SECOND), (THIRD, EMPTY)]
    half = Vocabulary.of_pairs(pairs, min_share=0.5)
    assert len(half) == 5  # a b c d and e are in two of three pairs
    assert len(Vocabulary.of_pairs(pairs, min_share=0.01)) == 8


def test_frequencies_are_of_the_terms_that_count() -> None:
    frequencies = normalised(Vocabulary(["cat", "fish"]).counts([SUPPORTING, THIRD])).toarray()
    assert frequencies == pytest.approx(np.array([[2 / 3, 1 / 3], [0.0, 0.0]]))
