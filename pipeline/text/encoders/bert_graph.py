"""A BERT of the sentence-transformers layout as an ONNX model: loaded in a tenth of a second, without torch."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError

_WEIGHTS = "model.safetensors"
_LIMITS, _POOLING = "sentence_bert_config.json", "1_Pooling/config.json"
_PLAIN = (("model_type", None), ("hidden_act", None), ("position_embedding_type", "absolute"))
_TYPES = tuple(f"sentence_transformers.models.{kind}" for kind in ("Transformer", "Pooling", "Normalize"))
_KINDS = (_TYPES, _TYPES[:2])
_MODES = (("pooling_mode_mean_tokens",), ("pooling_mode_cls_token",))
# onnxruntime's own operators, of which a transformer's layer needs seven.
_OPERATORS = "com.microsoft"


def is_bert(folder: Path) -> bool:
    """Whether a folder has a plain BERT, and nothing but pooling after it."""
    needed = (_WEIGHTS, "config.json", "tokenizer.json", "modules.json", _LIMITS, _POOLING)
    if not all((folder / name).is_file() for name in needed):
        return False
    try:
        kinds = tuple(module["type"] for module in _json(folder / "modules.json"))
        config, pooling, limits = (_json(folder / name) for name in ("config.json", _POOLING, _LIMITS))
        modes = tuple(name for name, chosen in pooling.items() if name.startswith("pooling_mode_") and chosen is True)
        plain = tuple(config.get(name, default) for name, default in _PLAIN)
        return (
            plain == ("bert", "gelu", "absolute") and kinds in _KINDS and modes in _MODES and "max_seq_length" in limits
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return False  # sentence-transformers says what is wrong with it


def longest_text(folder: Path) -> int:
    """How many tokens of a text the encoder of a folder reads."""
    return int(_json(folder / _LIMITS)["max_seq_length"])


def _json(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def bert_model(folder: Path, added: Mapping[str, Floats32]) -> bytes:
    """The ONNX model of a folder's BERT, with something added to the weights of some layers.

    A layer's name ends as torch's does: `0.model.encoder.layer.0.output.dense`.
    """
    from safetensors.numpy import load_file

    weights = {name: np.asarray(array, dtype=np.float32) for name, array in load_file(folder / _WEIGHTS).items()}
    for layer, change in added.items():
        name = f"{layer[max(layer.find('encoder.'), 0) :]}.weight"
        if name not in weights:
            raise RostrumError(f"these weights change {layer}, which {folder} has not: they belong to another encoder")
        weights[name] = weights[name] + change
    return _Graph(weights, _json(folder / "config.json")).model()


class _Graph:
    """The nodes and the numbers of a model that is being written."""

    def __init__(self, weights: Mapping[str, Floats32], config: Mapping[str, Any]) -> None:
        self._weights, self._config = weights, config
        self._nodes: list[Any] = []
        self._numbers: dict[str, Floats32] = {}

    def model(self) -> bytes:
        from onnx import TensorProto, helper, numpy_helper

        tokens = self._embeddings()
        for number in range(self._config["num_hidden_layers"]):
            tokens = self._layer(f"encoder.layer.{number}", tokens)
        ids = [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"])
            for name in ("input_ids", "token_type_ids")
        ]
        vectors = helper.make_tensor_value_info(tokens, TensorProto.FLOAT, ["texts", "tokens", "numbers"])
        stored = [numpy_helper.from_array(array, name) for name, array in self._numbers.items()]
        graph = helper.make_graph(self._nodes, "bert", ids, [vectors], stored)
        operators = [helper.make_opsetid("", 17), helper.make_opsetid(_OPERATORS, 1)]
        return bytes(helper.make_model(graph, opset_imports=operators, ir_version=8).SerializeToString())

    def _embeddings(self) -> str:
        tables = (f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type"))
        norms = ("embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias")
        given = ["input_ids", "token_type_ids", *map(self._stored, (*tables, *norms))]
        return self._add("EmbedLayerNormalization", given, epsilon=self._config["layer_norm_eps"], outputs=2)

    def _layer(self, name: str, tokens: str) -> str:
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        projection = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        given = [tokens, self._kept(f"{name}.qkv", projection), self._kept(f"{name}.qkv.bias", bias)]
        attended = self._add("Attention", given, num_heads=self._config["num_attention_heads"])
        attended = self._normalised(
            f"{name}.attention.output", self._product(f"{name}.attention.output", attended), tokens
        )
        inner = self._product(f"{name}.intermediate", attended)
        inner = self._add("BiasGelu", [inner, self._stored(f"{name}.intermediate.dense.bias")])
        return self._normalised(f"{name}.output", self._product(f"{name}.output", inner), attended)

    def _product(self, name: str, tokens: str) -> str:
        weight = self._kept(f"{name}.dense", np.ascontiguousarray(self._weights[f"{name}.dense.weight"].T))
        return self._add("MatMul", [tokens, weight], domain="")

    def _normalised(self, name: str, tokens: str, before: str) -> str:
        norms = (f"{name}.LayerNorm.weight", f"{name}.LayerNorm.bias", f"{name}.dense.bias")
        given = [tokens, before, *map(self._stored, norms)]
        return self._add("SkipLayerNormalization", given, epsilon=self._config["layer_norm_eps"])

    def _stored(self, name: str) -> str:
        return self._kept(name, self._weights[name])

    def _kept(self, name: str, array: Floats32) -> str:
        self._numbers[name] = array
        return name

    def _add(self, operator: str, given: list[str], *, outputs: int = 1, domain: str = _OPERATORS, **how: Any) -> str:
        from onnx import helper

        named = [f"{operator}.{len(self._nodes)}.{place}" for place in range(outputs)]
        self._nodes.append(helper.make_node(operator, given, named, domain=domain, **how))
        return named[0]
