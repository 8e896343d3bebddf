"""Word means by hand."""

import numpy as np
import pytest

from pipeline.mentions.evaluate.encoders import WordMeanEncoder, as_one_text, inverse_document_frequencies
from pipeline.mentions.similarity import speech_vectors
from pipeline.text.encoders.word_vectors import WordVectors


def test_word_means_are_weighted_by_rarity_and_know_no_stop_words() -> None:
    idf = inverse_document_frequencies(["ban boxing now", "ban smoking", "we ban it", "ban and ban"])
    assert idf["ban"] == 0
    assert idf["boxing"] == pytest.approx(np.log(4))
    vectors = WordVectors(
        "toy", "0", {"ban": 0, "boxing": 1, "we": 2, "chess": 3}, np.array([[1, 0], [0, 1], [5, 5], [3, 0]], np.float32)
    )
    encoder = WordMeanEncoder(vectors, idf)
    # 'ban' is everywhere and weighs nothing, 'we' is a stop word
    np.testing.assert_allclose(encoder.encode(["We ban boxing!"]), [[0, 1]], atol=1e-6)
    # an unseen word weighs as much as the average one
    average = np.mean(list(idf.values()))
    expected = np.array([3 * average, np.log(4)])
    np.testing.assert_allclose(encoder.encode(["boxing chess"]), [expected / np.linalg.norm(expected)], atol=1e-6)
    np.testing.assert_array_equal(encoder.encode(["unheard"]), [[0, 0]])
    assert encoder.encode([]).shape == (0, 2)
    # a speech is one text, not the mean of its sentences
    speech = speech_vectors(encoder, ["boxing", "chess chess"], as_one_text)
    both = np.array([6 * average, np.log(4)])
    np.testing.assert_allclose(speech.whole, both / np.linalg.norm(both), atol=1e-6)


def test_words_are_in_the_order_in_which_they_were_said() -> None:
    """Which of two words with one stem counts depends on it. In the order of a set, figures change by chance."""
    words = [f"word{number}" for number in range(100)]
    assert list(inverse_document_frequencies([" ".join(words), "word7 last"])) == [*words, "last"]
