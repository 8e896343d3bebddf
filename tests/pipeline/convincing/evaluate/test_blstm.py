import numpy as np
import pytest

from pipeline.convincing.evaluate.blstm import Words, joined_margins, predicted_ranks, shared_utilities
from pipeline.text.encoders.word_vectors import WordVectors


@pytest.fixture(scope="module")
def words():
    """Eight topics of six texts; a text convinces by how many of its words are 'because'."""
    random = np.random.default_rng(0)
    vocabulary = ["because", "the", "a", "well", "so", "it"]
    vectors = WordVectors("made up", "0", {word: i for i, word in enumerate(vocabulary)}, np.eye(6, dtype=np.float32))
    texts = []
    for _ in range(8):
        for strength in range(6):
            others = list(random.choice(vocabulary[1:], 6))
            texts.append(" ".join(random.permutation(["because"] * strength + others)))
    return Words(texts, vectors)


@pytest.fixture(scope="module")
def pairs():
    random = np.random.default_rng(1)
    found = [(t * 6 + i, t * 6 + j) for t in range(8) for i in range(6) for j in range(i)]
    return np.array([pair if random.random() < 0.5 else pair[::-1] for pair in found])


def first_wins(pairs):
    return pairs[:, 0] % 6 > pairs[:, 1] % 6


def test_shared_learns_and_repeats(words, pairs):
    topic_of = np.arange(48) // 6
    train = pairs[topic_of[pairs[:, 0]] < 7]
    test = pairs[topic_of[pairs[:, 0]] == 7]
    utilities, again = (
        shared_utilities(words, topic_of, train, first_wins(train), epochs=30, seed=3) for _ in range(2)
    )
    assert np.array_equal(utilities, again)
    margins = utilities[test[:, 0]] - utilities[test[:, 1]]
    assert np.mean((margins > 0) == first_wins(test)) > 0.8


def test_joined_gives_a_number_a_pair(words, pairs):
    margins = joined_margins(words, pairs[:64], first_wins(pairs[:64]), pairs[:5], epochs=1)
    assert margins.shape == (5,)
    assert np.isfinite(margins).all()


def test_ranks(words):
    ranks = predicted_ranks(words, np.arange(40), np.arange(40.0), np.array([41, 42]))
    assert ranks.shape == (2,)


def test_unknown_words_and_empty_texts():
    vectors = WordVectors("made up", "0", {"the": 0}, np.ones((1, 3), dtype=np.float32))
    empty = Words(["", "xyz the"], vectors)
    # padding, boundary and unknown come first; a word without a vector begins as unknown words do
    assert [len(ids) for ids in empty.ids] == [0, 2]
    xyz, the = empty.ids[1]
    assert np.array_equal(empty.table[the], np.ones(3))
    assert np.array_equal(empty.table[xyz], empty.table[2])
    assert not empty.table[0].any()
    assert predicted_ranks(empty, np.array([0, 1]), np.array([0.0, 1.0]), np.array([0])).shape == (1,)
