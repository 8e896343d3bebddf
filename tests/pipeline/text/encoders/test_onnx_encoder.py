"""An 8-bit encoder as floats, and with low-rank changes: torch and onnxruntime, two runtimes, must agree on both."""

import json

import numpy as np
import onnx
import pytest
import torch

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.evaluation.fine_tuning import load_base
from pipeline.text.encoders.bert_graph import is_bert
from pipeline.text.encoders.low_rank import changes, insert
from pipeline.text.encoders.onnx_encoder import OnnxEncoder, changed_model, float_weights, onnx_file
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, embed, load_sentence_transformer
from tests.tiny_bert import save_tiny_bert

NAME = "bge-small-en-v1.5-int8"
TEXTS = [
    "We should ban boxing.",
    "Boxing ought to be prohibited.",
    "I baked a nice cake.",
    "uniforms cost too much you know",
]


@pytest.fixture(scope="module")
def folder():
    try:
        return models.find(NAME).path
    except RostrumError as error:
        pytest.skip(str(error))


def test_torch_has_the_vectors_of_onnxruntime(folder):
    encoder, digest = load_base(NAME)
    assert digest == models.find(NAME).digest
    ours, theirs = embed(encoder, TEXTS), OnnxEncoder(folder).encode(TEXTS)
    assert (ours * theirs).sum(axis=1).min() > 0.99


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_a_bert_has_the_vectors_of_sentence_transformers(tmp_path, pooling):
    folder = save_tiny_bert(tmp_path / "bert", ["we", "should", "ban", "boxing", "prohibit", "cake", "a", "nice"])
    write_layout(folder, **{"1_Pooling/config.json": {"embedding_dimension": 16, f"pooling_mode_{pooling}": True}})
    assert is_bert(folder)
    texts = ["we should ban boxing", "a nice cake", "boxing", "ban a cake", "we " * 30]
    theirs = embed(load_sentence_transformer(folder), texts)
    np.testing.assert_allclose(OnnxEncoder(folder).encode(texts), theirs, atol=1e-5)


def test_the_default_encoder_has_the_vectors_of_sentence_transformers():
    try:
        folder = models.find(DEFAULT_ENCODER).path
    except RostrumError as error:
        pytest.skip(str(error))
    theirs = load_sentence_transformer(folder)
    np.testing.assert_allclose(OnnxEncoder(folder).encode(TEXTS), embed(theirs, TEXTS), atol=1e-5)
    for parameter in insert(theirs, rank=4, layers=2):
        torch.nn.init.normal_(parameter, std=0.05)
    found = {name: each.numpy() for name, each in changes(theirs).items()}
    changed = OnnxEncoder(folder, found).encode(TEXTS)
    assert np.abs(changed - OnnxEncoder(folder).encode(TEXTS)).max() > 0.01
    np.testing.assert_allclose(changed, embed(theirs, TEXTS), atol=1e-5)


@pytest.mark.parametrize("damage", ["modules.json", "config.json", "1_Pooling/config.json"])
def test_what_is_not_a_plain_bert_is_left_to_sentence_transformers(tmp_path, damage):
    plain = {"config.json": {"model_type": "bert", "hidden_act": "gelu"}, "tokenizer.json": {}, "model.safetensors": {}}
    write_layout(tmp_path, **plain)
    assert is_bert(tmp_path)
    for content in ([1], {}, "none"):
        write_layout(tmp_path, **{damage: content})
        assert not is_bert(tmp_path)


def write_layout(folder, **files):
    """Write the files by which the hub's models tell sentence-transformers what they are, some of them as given."""
    kinds = [f"sentence_transformers.models.{kind}" for kind in ("Transformer", "Pooling", "Normalize")]
    paths = ["", "1_Pooling", "2_Normalize"]
    modules = [{"idx": i, "name": str(i), "path": paths[i], "type": kind} for i, kind in enumerate(kinds)]
    layout = {
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": 9},
        "1_Pooling/config.json": {"pooling_mode_mean_tokens": True},
    }
    for name, content in {**layout, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))


def test_an_encoder_that_lacks_weights_is_not_trained(folder, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    config = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").unlink()
    (tmp_path / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 13}))
    with pytest.raises(RostrumError, match=r"no 8-bit encoder\.layer\.12\.attention"):
        load_base(str(tmp_path))


def test_changes_do_the_same_to_both(folder):
    encoder, _ = load_base(NAME)
    torch.manual_seed(0)
    for parameter in insert(encoder, rank=4, layers=2):
        torch.nn.init.normal_(parameter, std=0.1)
    found = {name: each.numpy() for name, each in changes(encoder).items()}
    changed = OnnxEncoder(folder, found).encode(TEXTS)
    assert (changed * OnnxEncoder(folder).encode(TEXTS)).sum(axis=1).max() < 0.9
    assert (changed * embed(encoder, TEXTS)).sum(axis=1).min() > 0.98


def test_nothing_added_changes_nothing(folder, tmp_path):
    before = float_weights(onnx_file(folder))
    layer = "encoder.layer.3.output.dense"
    content = changed_model(onnx_file(folder), {f"0.model.{layer}": np.zeros_like(before[f"{layer}.weight"])})
    (tmp_path / "again.onnx").write_bytes(content)
    after = float_weights(tmp_path / "again.onnx")
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_numbers_around_another_zero_are_not_changed(folder, tmp_path):
    model = onnx.load(str(onnx_file(folder)))
    zero = next(each for each in model.graph.initializer if each.name == "onnx::MatMul_1406_zero_point")
    zero.CopyFrom(onnx.numpy_helper.from_array(np.array(3, dtype=np.int8).reshape(tuple(zero.dims)), zero.name))
    onnx.save(model, str(tmp_path / "moved.onnx"))
    layer = {"0.model.encoder.layer.0.attention.self.query": np.zeros((384, 384), dtype=np.float32)}
    with pytest.raises(RostrumError, match=r"numbers of 0\.model\S+query have another zero"):
        changed_model(tmp_path / "moved.onnx", layer)


def test_changes_of_another_encoder_are_refused(folder):
    with pytest.raises(RostrumError, match="belong to another encoder"):
        changed_model(onnx_file(folder), {"0.model.encoder.layer.40.output.dense": np.zeros((2, 2), dtype=np.float32)})
