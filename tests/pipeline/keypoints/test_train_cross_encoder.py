"""A cross-encoder of a few numbers learns, and is read by the matcher."""

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.data import read_part
from pipeline.keypoints.evaluate.training import Lesson, lessons
from pipeline.keypoints.train_cross_encoder import CrossEncoderOptions, pairs_of, train_cross_encoder
from pipeline.matching.matcher import load_matcher
from tests.pipeline.keypoints.evaluate.test_table import write
from tests.tiny_bert import save_tiny_bert

WORDS = ("phones", "phone", "pupils", "bullies", "camera", "parents", "help")
STEADY = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.3}
LABELS = np.array([[1, 0], [-1, -1], [0, -1]], dtype=np.int8)


def test_targets_are_people_s_labels_and_the_middle_of_their_votes_where_they_did_not_agree():
    assert Lesson(("a", "b", "c"), ("k", "l"), LABELS).targets.tolist() == [[1, 0], [0.35, 0.35], [0, 0.35]]


def test_every_labelled_argument_is_paired_with_every_key_point_of_its_side():
    assert pairs_of([Lesson(("a", "b", "c"), ("k", "l"), LABELS)]) == [
        ("a", "k", 1),
        ("a", "l", 0),
        ("c", "k", 0),
        ("c", "l", 0.35),
    ]


def test_it_learns_and_the_matcher_reads_it(tmp_path):
    part = read_part(write(tmp_path / "data", "train"), "train")
    losses = []
    folder = train_cross_encoder(
        save_tiny_bert(tmp_path / "base", WORDS, **STEADY),
        lessons(part),
        tmp_path / "out",
        CrossEncoderOptions(epochs=40, pairs_per_batch=5, learning_rate=1e-2),
        progress=lambda share, said: losses.append(float(said.split()[-1])),
    )
    assert np.mean(losses[-4:]) < 0.5 * np.mean(losses[:4])
    matcher = load_matcher(f"cross-encoder:{folder}")
    group = next(group for group in part.groups if group.stance == "pro")
    scores = matcher.scores(
        group.topic, [each.text for each in group.arguments], [each.text for each in group.key_points]
    )
    assert scores.shape == (4, 2)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores.argmax(axis=1).tolist() == [0, 0, 1, 1]
    assert matcher.digest


def test_what_is_no_transformer_is_refused_in_one_line(tmp_path):
    part = read_part(write(tmp_path / "data", "train"), "train")
    with pytest.raises(RostrumError, match="has no transformer that can be fine-tuned"):
        train_cross_encoder(tmp_path, lessons(part), tmp_path / "out", CrossEncoderOptions())
