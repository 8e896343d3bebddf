"""The training loop on an encoder of two linear layers: it learns, repeats itself, goes on where it was killed."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.training import (
    Lesson,
    MatcherOptions,
    Pairs,
    batches,
    best_threshold,
    lessons_of_perspectrum,
    train,
)
from pipeline.matching import weights
from pipeline.text.encoders.low_rank import changes, insert, merge
from tests.pipeline.matching.test_evaluate_pairs import folders

OPTIONS = MatcherOptions(rank=4, layers=1, epochs=4, arguments_per_side=4, sides_per_batch=2, learning_rate=0.05)
WORDS = ["cheap", "save", "money", "bully", "tease", "child", "plain", "other"]


class Toy(nn.Module):
    """Counts of eight words through two linear layers, with the parts of a sentence-transformers model."""

    max_seq_length = 16

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.layer = nn.ModuleList([nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)])
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList([nn.ModuleDict({"dense": each}) for each in self.layer])
        del self.layer

    def tokenizer(self, texts, **_):
        return {"counts": torch.tensor([[float(text.count(word)) for word in WORDS] for text in texts])}

    def forward(self, features):
        hidden = torch.tanh(self.encoder.layer[0]["dense"](features["counts"]))
        return {"sentence_embedding": self.encoder.layer[1]["dense"](hidden)}


def lessons():
    money = ["cheap save", "money", "save money", "cheap", "cheap other", "money other"]
    bully = ["bully", "tease child", "child bully", "tease", "tease other", "bully plain"]
    labels = np.array([[1, 0]] * 6 + [[0, 1]] * 6, dtype=np.int8)
    labels[0, 1] = -1
    lesson = Lesson(tuple(money + bully), ("save money", "tease bully child"), labels)
    return [lesson, Lesson(lesson.arguments[::-1], lesson.key_points, labels[::-1].copy())]


def test_only_the_last_layers_change_and_start_as_they_were():
    toy = Toy()
    features = toy.tokenizer(["cheap bully"])
    before = toy(features)["sentence_embedding"]
    parameters = insert(toy, rank=2, layers=1)
    assert [tuple(each.shape) for each in parameters] == [(2, 8), (8, 2)]
    assert sum(each.requires_grad for each in toy.parameters()) == 2
    assert set(changes(toy)) == {"encoder.layer.1.dense.down", "encoder.layer.1.dense.up"}
    assert torch.equal(toy(features)["sentence_embedding"], before)


def test_training_learns_and_merging_gives_the_same_encoder(tmp_path):
    toy, reports = Toy(), []
    found = train(toy, lessons(), replace(OPTIONS, epochs=12), progress=lambda *report: reports.append(report))
    assert reports[-1][0] == 1.0
    first, last = (float(reports[place][1].split()[-1]) for place in (0, -1))
    assert last < 0.6 * first
    facts = weights.MatcherHeader(base="toy", base_digest="0", data_digest="1", threshold=0.5, training={"rank": 4})
    weights.save(tmp_path / "toy.safetensors", found, facts)
    assert weights.header_of(tmp_path / "toy.safetensors", weights.MatcherHeader) == facts
    fresh = Toy()
    merge(fresh, weights.load(tmp_path / "toy.safetensors"))
    features = toy.tokenizer(["cheap bully child"])
    merged, trained = fresh(features)["sentence_embedding"], toy(features)["sentence_embedding"]
    assert torch.allclose(merged, trained, atol=0.02)


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_same_seed_same_weights_also_after_a_kill(tmp_path, noise):
    options = replace(OPTIONS, noise=noise)
    whole = train(Toy(), lessons(), options)
    checkpoint = tmp_path / "run.checkpoint"

    def killed(share, word):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(Toy(), lessons(), options, checkpoint=checkpoint, progress=killed)
    assert checkpoint.exists()
    steps = []
    resumed = train(Toy(), lessons(), options, checkpoint=checkpoint, progress=lambda share, _: steps.append(share))
    assert steps[0] > 0.5
    assert not checkpoint.exists()
    for name, tensor in whole.items():
        assert torch.equal(tensor, resumed[name])
    other = train(Toy(), lessons(), replace(options, seed=1))
    assert any(not torch.equal(tensor, other[name]) for name, tensor in whole.items())


class Listening(Toy):
    """Remembers what it was given to read."""

    def __init__(self):
        super().__init__()
        self.read = set()

    def tokenizer(self, texts, **_):
        self.read.update(texts)
        return super().tokenizer(texts)


def test_arguments_are_learned_as_they_are_heard_and_after_their_topic():
    first = replace(lessons()[0], topic="We should save money.")
    plain, heard = Listening(), Listening()
    train(plain, [first], replace(OPTIONS, epochs=1))
    train(heard, [first], replace(OPTIONS, epochs=1, noise=1.0))
    written = {f"We should save money. {text}" for text in first.arguments}
    assert plain.read == {*written, *first.key_points}
    assert heard.read & {*first.key_points} == {*first.key_points}
    assert all(text.startswith("We should save money. ") for text in heard.read - {*first.key_points})
    assert len(written - heard.read) > len(written) / 4


def test_small_sides_are_learned_together_and_every_argument_once():
    whole = lessons()[0]
    small = [
        Lesson(whole.arguments[start : start + 2], whole.key_points, whole.labels[start : start + 2])
        for start in range(0, 12, 2)
    ]
    found = batches([whole, *small], replace(OPTIONS, sides_per_batch=1), epoch=0)
    sides = [[(place(lesson, [whole, *small]), len(rows)) for lesson, rows in batch] for batch in found]
    assert sorted(len(batch) for batch in sides) == [1, 1, 1, 2, 2, 2]
    assert all(sum(count for _, count in batch) == 4 for batch in sides)
    assert sorted(number for batch in sides for number, _ in batch) == [0, 0, 0, 1, 2, 3, 4, 5, 6]


def place(lesson, among):
    return next(number for number, each in enumerate(among) if each is lesson)


def test_clusters_of_perspectives_are_lessons(tmp_path):
    folder = folders(tmp_path) / "perspectrum"
    (plain,) = lessons_of_perspectrum(folder, topical=False)
    assert (plain.arguments, plain.key_points) == (("The state must",), ("It is the state's duty", "No"))
    assert plain.labels.tolist() == [[1, 0]]
    assert plain.topic == ""
    (topical,) = lessons_of_perspectrum(folder)
    assert (topical.topic, topical.key_points[1]) == ("Vaccinate", "Vaccinate. No")


def test_an_undecided_pair_counts_as_half_a_match():
    pairs = Pairs(Toy(), centre=0.5)
    known = torch.ones(1, 1, dtype=torch.bool)
    undecided = torch.tensor([[0.35]])
    low, middle, high = (
        float(pairs.loss(torch.tensor([[cosine]]), known, undecided).detach()) for cosine in (0.0, 0.44, 1.0)
    )
    assert middle < low
    assert middle < high


def test_pairs_of_different_sides_teach_nothing():
    pairs = Pairs(Toy(), centre=0.5)
    known, targets = torch.eye(2, dtype=torch.bool), torch.eye(2)
    one = pairs.loss(torch.tensor([[0.9, 0.1], [0.2, 0.8]]), known, targets)
    other = pairs.loss(torch.tensor([[0.9, 0.7], [0.6, 0.8]]), known, targets)
    assert float(one.detach()) == pytest.approx(float(other.detach()))


def test_weights_of_another_encoder_are_refused():
    with pytest.raises(RostrumError, match="belong to another"):
        merge(Toy(), {"encoder.layer.7.dense.down": torch.zeros(1, 8), "encoder.layer.7.dense.up": torch.zeros(8, 1)})
    with pytest.raises(RostrumError, match="no numbered transformer layers"):
        insert(nn.Linear(2, 2), rank=1, layers=1)


def test_files_that_are_no_weights(tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"not weights at all")
    with pytest.raises(RostrumError, match="cannot be read as trained weights"):
        weights.header_of(tmp_path / "x.safetensors", weights.MatcherHeader)
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(1)}, tmp_path / "y.safetensors")
    with pytest.raises(RostrumError, match="not what `rostrum train keypoints` writes"):
        weights.header_of(tmp_path / "y.safetensors", weights.MatcherHeader)


def test_the_threshold_lies_between_right_and_wrong_best_matches():
    scores = [np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.4], [0.2, 0.1]])]
    labels = [np.array([[1, 0], [1, 0], [0, 0], [0, 0]], dtype=np.int8)]
    assert best_threshold(scores, labels) == pytest.approx(0.6)
