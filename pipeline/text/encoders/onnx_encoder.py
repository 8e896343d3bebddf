"""Sentence encoders as ONNX models, run without torch."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.system.environment import MOST_THREADS, usable_cores
from pipeline.text.encoders.bert_graph import bert_model, is_bert, longest_text

_MAX_TOKENS = 512
# So many texts of one length are embedded together.
_BATCH = 32


class OnnxEncoder:
    """A transformer as an ONNX model, from a folder with an ONNX file or with the weights of a BERT, and its tokenizer.

    A sentence is the mean of its tokens' vectors where `1_Pooling/config.json` says so, else the first token's.
    Low-rank `changes` are added to its weights.
    """

    def __init__(self, folder: Path, changes: Mapping[str, Floats32] | None = None) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        model: str | bytes
        if is_floats := is_bert(folder):
            model = bert_model(folder, added(changes or {}))
        else:
            model = str(onnx_file(folder)) if changes is None else changed_model(onnx_file(folder), added(changes))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {given.name: given.type for given in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest_text(folder) if is_floats else _MAX_TOKENS)
        self._mean = pools_by_mean(folder)
        # an 8-bit model scales by batch, and a text's vector must not depend on its neighbours
        self._batch = _BATCH if is_floats else 1

    def encode(self, texts: Sequence[str]) -> Floats32:
        """Unit vectors, one row per text. Each batch is one thread's, so that threads change nothing in a vector."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        by_length = grouped((len(ids), place) for place, ids in enumerate(tokens))
        batches = [
            places[start : start + self._batch]
            for places in by_length.values()
            for start in range(0, len(places), self._batch)
        ]
        threads = ThreadPoolExecutor(min(MOST_THREADS, usable_cores()))
        vectors: dict[int, Floats32] = {}
        try:
            embedded = threads.map(lambda batch: self._vectors([tokens[place] for place in batch]), batches)
            for batch, rows in zip(batches, embedded, strict=True):
                vectors.update(zip(batch, rows, strict=True))
        finally:
            threads.shutdown(cancel_futures=True)  # after an interrupt, nothing more is begun
        return np.stack([vectors[place] for place in range(len(texts))])

    def _vectors(self, texts: Sequence[Sequence[int]]) -> Floats32:
        """The vectors of texts that have equally many tokens."""
        ids = np.array(texts)
        arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        given = {name: arrays[name].astype(_NUMBERS[kind]) for name, kind in self._inputs.items()}
        tokens = self._session.run(None, given)[0]
        pooled = tokens.mean(axis=1) if self._mean else tokens[:, 0]
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), dtype=np.float32)


_NUMBERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


def added(low_rank: Mapping[str, Floats32]) -> dict[str, Floats32]:
    """What low-rank changes add to the weights of each layer, by its name."""
    names = sorted({name.rpartition(".")[0] for name in low_rank})
    parts = {name: (low_rank[f"{name}.up"], low_rank[f"{name}.down"]) for name in names}
    return {name: np.asarray(up, np.float32) @ np.asarray(down, np.float32) for name, (up, down) in parts.items()}


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
