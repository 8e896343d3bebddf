"""What the model of pairs says of vectors that are given by hand, and which files it refuses."""

from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.errors import RostrumError
from pipeline.matching.weights import AGAINST, FOR, NEITHER, PairEncoder, PairsHeader, header_of, load_pairs, save

GIVEN = {
    "T. for": [1.0, 0.0, 0.0],
    "T. for, too": [0.8, 0.6, 0.0],
    "T. against": [0.0, 1.0, 0.0],
    "T. hello": [0.0, 0.0, 1.0],
}


class Given:
    name, digest = "given", "g0"

    def encode(self, texts):
        return np.array([GIVEN[text] for text in texts], dtype=np.float32)


MODEL = PairEncoder("given", "g0", Given(), np.eye(3) * np.log(9), np.zeros(3), centre=0.5, scale=10.0)


def test_the_topic_stands_before_every_text():
    assert MODEL.vectors("T.", ["for"]).tolist() == [GIVEN["T. for"]]


def test_a_cosine_at_the_centre_is_as_likely_one_point_as_not():
    for_, too = MODEL.vectors("T", ["for"]), MODEL.vectors("T", ["for, too", "against"])
    # 10 * (0.8 - 0.5) = 3 and 10 * (0 - 0.5) = -5, as odds
    assert MODEL.same(for_, too) == pytest.approx(np.array([[1 / (1 + np.exp(-3)), 1 / (1 + np.exp(5))]]))


def test_sides_are_shares_of_the_three_odds():
    sides = MODEL.sides(MODEL.vectors("T", ["for", "against", "hello"]))
    assert sides.argmax(axis=1).tolist() == [FOR, AGAINST, NEITHER]
    assert sides[0] == pytest.approx([9 / 11, 1 / 11, 1 / 11])


def test_a_file_that_training_did_not_write_is_refused(tmp_path: Path):
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"not weights")
    with pytest.raises(RostrumError, match="cannot be read as trained weights"):
        load_pairs(other)


def test_weights_for_another_encoder_are_refused(tmp_path: Path):
    file = tmp_path / "pairs.safetensors"
    header = PairsHeader(base="all-MiniLM-L6-v2", base_digest="another", training={}, head={})
    save(file, {"layer.down": torch.zeros(1, 1)}, header)
    assert header_of(file, PairsHeader) == header
    with pytest.raises(RostrumError, match="trained on another all-MiniLM-L6-v2"):
        load_pairs(file)
