"""The training loop on an encoder of two linear layers: it learns points and sides, repeats itself, and goes on."""

import numpy as np
import pytest
import torch

from pipeline.evaluation.fine_tuning import Trainable
from pipeline.matching.evaluate_pairs import Lesson
from pipeline.matching.train_pairs import PairsOptions, train
from pipeline.matching.weights import AGAINST, FOR
from tests.pipeline.keypoints.evaluate.test_training import Toy

OPTIONS = PairsOptions(rank=4, layers=2, epochs=6, texts_per_topic=6, texts_per_batch=8, learning_rate=0.05)


class Sized(Toy):
    """The toy says how wide its vectors are, as sentence-transformers models do."""

    def get_embedding_dimension(self):
        return 8


def lesson():
    texts = ("cheap save", "money", "save money", "cheap money", "bully child", "tease", "bully tease", "child tease")
    same = np.array([[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 4)
    sides = np.array([FOR] * 4 + [AGAINST] * 4)
    return Lesson("t", texts, ("save money cheap", "tease bully"), same, sides, np.array([FOR, AGAINST]))


def trained(**more):
    toy = Sized()
    return toy, *train(toy, [lesson()] * 4, OPTIONS, **more)


def test_points_and_sides_are_learnt():
    toy, _, head = trained()
    network = Trainable(toy)
    with torch.no_grad():
        vectors = network.vectors([*lesson().texts, *lesson().points]).numpy()
    cosines = vectors[:8] @ vectors[8:].T
    assert (cosines.argmax(axis=1) == [0] * 4 + [1] * 4).mean() >= 7 / 8
    odds = vectors @ np.array(head["side_weights"]).T + head["side_bias"]
    assert (odds[:, :2].argmax(axis=1) == [FOR] * 4 + [AGAINST] * 4 + [FOR, AGAINST]).mean() >= 0.8


def test_the_same_training_gives_the_same_weights_also_after_a_stop(tmp_path):
    _, once, head = trained()

    def stop(share, what):
        if share > 0.5:
            raise KeyboardInterrupt

    checkpoint = tmp_path / "pairs.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        trained(checkpoint=checkpoint, progress=stop)
    assert checkpoint.exists()
    _, again, head_again = trained(checkpoint=checkpoint)
    assert not checkpoint.exists()
    assert head == head_again
    assert all(torch.equal(once[name], again[name]) for name in once)
