"""The matchers, with made-up encoders where they need one."""

import numpy as np
import pytest

from pipeline.matching.matcher import in_speech, on_topic, particular, standing_out
from pipeline.matching.matchers.encoders import BiEncoder, CrossEncoderMatcher, Ensemble
from pipeline.matching.matchers.words import TfIdf, TokenOverlap

TOPIC = "We should ban phones."
ARGUMENTS = ["Phones distract pupils from their lessons", "Bullies use the camera", "Something else altogether"]
POINTS = ["Phones distract pupils", "Cameras help bullies"]


class Letters:
    """Counts of letters, as unit vectors."""

    name = "letters"
    digest = "0" * 64

    def __init__(self):
        self.seen = []

    def encode(self, texts):
        self.seen += texts
        counts = [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts]
        vectors = np.array(counts, dtype=np.float32).reshape(len(texts), 26)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def test_token_overlap_is_the_share_of_the_key_point_s_stems():
    scores = TokenOverlap().scores(TOPIC, ARGUMENTS, POINTS)
    assert scores[0].tolist() == [1.0, 0.0]
    assert scores[1].tolist() == [0.0, pytest.approx(2 / 3)]
    assert scores[2].tolist() == [0.0, 0.0]


def test_tf_idf_prefers_the_rare_word():
    scores = TfIdf().scores(TOPIC, ["phones ring", "phones burn"], ["phones burn hands"])
    assert scores[1, 0] > scores[0, 0] > 0


@pytest.mark.parametrize("matcher", [TokenOverlap(), TfIdf(), BiEncoder("letters", Letters(), 0.5)])
def test_nothing_to_match_is_an_empty_matrix(matcher):
    assert matcher.scores(TOPIC, [], POINTS).shape == (0, 2)
    assert matcher.scores(TOPIC, ARGUMENTS, []).shape == (3, 0)


def test_texts_without_words_have_no_score():
    assert TfIdf().scores(TOPIC, ["the", ""], ["of"]).tolist() == [[0.0], [0.0]]


def test_the_topic_is_part_of_what_the_encoder_sees():
    encoder = Letters()
    scores = BiEncoder("letters", encoder, 0.5).scores(TOPIC, ARGUMENTS, POINTS)
    assert scores.shape == (3, 2)
    assert encoder.seen[0] == "We should ban phones. Phones distract pupils from their lessons"
    assert on_topic(TOPIC, ["a"]) == ["We should ban phones. a"]


def test_a_cross_encoder_sees_every_pair_in_order():
    class Model:
        name, digest = "made up", ""

        def probabilities(self, pairs):
            return np.array([len(one) + len(other) for one, other in pairs])

    scores = CrossEncoderMatcher(Model()).scores("T", ["a", "bb"], ["c", "dd", "eee"])
    assert (scores - scores[0, 0]).tolist() == [[0, 1, 2], [1, 2, 3]]


def test_an_ensemble_is_the_mean_of_its_members():
    words = TokenOverlap()
    letters = BiEncoder("letters", Letters(), 0.5)
    both = Ensemble((words, letters), "both", 0.5)
    one, other = words.scores(TOPIC, ARGUMENTS, POINTS), letters.scores(TOPIC, ARGUMENTS, POINTS)
    assert both.scores(TOPIC, ARGUMENTS, POINTS) == pytest.approx((one + other) / 2)
    assert both.digest == letters.digest


def test_a_key_point_near_to_everything_stands_out_less():
    scores = standing_out(np.array([[0.7, 0.7], [0.6, 0.1]]))
    assert scores[0, 0] < 0.7 < scores[0, 1]
    assert scores[0, 0] - scores[1, 0] == pytest.approx(0.1)
    assert standing_out(np.array([[1.0, 0.2]])).max() == pytest.approx(0.76)
    assert standing_out(np.zeros((0, 2))).shape == (0, 2)


def test_a_long_sentence_of_a_speech_needs_less_similarity_than_a_short_one():
    short, usual, long = "phones distract us", " ".join(["word"] * 18), " ".join(["word"] * 60)
    scores = in_speech(np.full((3, 1), 0.6), [short, usual, long])
    assert scores[0, 0] < scores[1, 0] == pytest.approx(0.55)
    assert scores[2, 0] == pytest.approx(0.55 + 0.08 * np.log(60 / 18))


def test_a_sentence_that_is_near_to_everything_makes_no_point_in_particular():
    scores = particular(np.array([[0.6, 0.6], [0.6, 0.2]]))
    assert scores[0] == pytest.approx([0.6, 0.6])
    # less 0.4 of the mean of 0.4, over 0.6
    assert scores[1] == pytest.approx([0.44 / 0.6, 0.04 / 0.6])
    assert particular(np.zeros((0, 2))).shape == (0, 2)


def test_an_empty_sentence_of_a_speech_has_a_score():
    assert np.isfinite(in_speech(np.array([[0.5]]), [""])).all()
    assert in_speech(np.zeros((0, 2)), []).shape == (0, 2)
