"""Sentence encoders as ONNX files, run without torch; only changes to their weights are read by it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pipeline.arrays import Floats32, Vectors
from pipeline.errors import RostrumError

if TYPE_CHECKING:
    import torch


_MAX_TOKENS = 512


class OnnxEncoder:
    """A transformer exported to ONNX, with its `tokenizer.json` beside it.

    A sentence is the mean of its tokens' vectors where `1_Pooling/config.json` says so, else the first token's.
    Low-rank `changes` are added to its weights.
    """

    def __init__(self, folder: Path, changes: "Mapping[str, torch.Tensor] | None" = None) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        model: str | bytes = str(onnx_file(folder))
        if changes is not None:
            from pipeline.text.encoders.low_rank import added

            model = changed_model(onnx_file(folder), {name: each.numpy() for name, each in added(changes).items()})
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._mean = pools_by_mean(folder)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one row per text.

        One at a time: a quantised model scales by batch, and a text's vector must not depend on its neighbours. On one
        thread batches are no faster.
        """
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens = self._session.run(None, {name: arrays[name] for name in self._inputs})[0][0]
        pooled = tokens.mean(axis=0) if self._mean else tokens[0]
        return np.asarray(pooled / np.linalg.norm(pooled), dtype=np.float32)


def onnx_file(folder: Path) -> Path:
    """The model of a folder that has everything an encoder needs."""
    models = sorted(folder.glob("*.onnx"))
    if len(models) != 1 or not (folder / "tokenizer.json").is_file():
        raise RostrumError(f"{folder}: an ONNX encoder is a folder with one .onnx file and a tokenizer.json")
    return models[0]


def pools_by_mean(folder: Path) -> bool:
    """Whether a sentence is the mean of its tokens' vectors."""
    config = folder / "1_Pooling" / "config.json"
    return config.is_file() and bool(json.loads(config.read_text()).get("pooling_mode_mean_tokens"))


# The weights of an encoder that was exported to ONNX with 8-bit linear layers: read as floats, and changed.
#
# Such a layer is a matrix of whole numbers between -127 and 127, and the one number that they are multiplied by.

_LARGEST = 127
_QUANTISED = "_quantized"
_LAYER_NODE = re.compile(r"/(.+)/MatMul_quant")


def float_weights(file: Path) -> dict[str, Floats32]:
    """Every parameter by the name that torch has for it, such as `encoder.layer.0.output.dense.weight`."""
    model, stored = _read(file)
    weights = {name: array for name, array in stored.items() if name.endswith((".bias", ".weight"))}
    for name in stored:
        if name.startswith("embeddings.") and name.endswith(_QUANTISED):
            weights[name.removesuffix(_QUANTISED)] = _floats(stored, name)
    for layer, name in _layers(model, stored):
        weights[f"{layer}.weight"] = np.ascontiguousarray(_floats(stored, name).T)
    return weights


def changed_model(file: Path, added: Mapping[str, Floats32]) -> bytes:
    """The model with something added to the weights of some layers. These stay 8-bit.

    A layer's name ends as torch's does: `0.model.encoder.layer.0.output.dense`.
    """
    from onnx import numpy_helper

    model, stored = _read(file)
    names = dict(_layers(model, stored))
    places = {each.name: each for each in model.graph.initializer}
    for layer, change in added.items():
        name = names.get(layer[max(layer.find("encoder."), 0) :])
        if name is None:
            raise RostrumError(f"these weights change {layer}, which {file} has not: they belong to another encoder")
        if stored[name].dtype != np.int8 or stored[_beside(name, "zero_point")].any():
            raise RostrumError(f"{file}: the 8-bit numbers of {layer} have another zero than 0: it cannot be changed")
        numbers, scale = _eight_bits(_floats(stored, name) + change.T)
        for part, array in ((name, numbers), (_beside(name, "scale"), scale)):
            places[part].CopyFrom(numpy_helper.from_array(array.reshape(stored[part].shape), part))
    return bytes(model.SerializeToString())


def _read(file: Path) -> tuple[Any, dict[str, Any]]:
    """(the model, its stored arrays by name)."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(file))
    return model, {array.name: numpy_helper.to_array(array) for array in model.graph.initializer}


def _layers(model: Any, stored: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(torch's name for a linear layer, the name of its 8-bit matrix)."""
    for node in model.graph.node:
        if node.op_type == "MatMulInteger" and node.input[1] in stored:
            if not (match := _LAYER_NODE.fullmatch(node.name)) or stored[_beside(node.input[1], "scale")].size != 1:
                raise RostrumError(f"{node.name}: not a layer of 8-bit numbers with one scale, so it cannot be changed")
            yield match[1].replace("/", "."), node.input[1]


def _floats(stored: Mapping[str, Any], name: str) -> Floats32:
    zero = stored[_beside(name, "zero_point")].astype(np.float32)
    return np.asarray((stored[name].astype(np.float32) - zero) * stored[_beside(name, "scale")], dtype=np.float32)


def _eight_bits(weights: Floats32) -> tuple[Any, Floats32]:
    """(whole numbers, the scale by which they give the weights again). Their zero stays 0."""
    scale = np.float32(np.abs(weights).max() / _LARGEST)
    return np.clip(np.rint(weights / scale), -_LARGEST, _LARGEST).astype(np.int8), np.asarray(scale)


def _beside(name: str, what: str) -> str:
    return f"{name.removesuffix(_QUANTISED)}_{what}"
