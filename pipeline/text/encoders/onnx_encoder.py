"""Sentence encoders as ONNX files, run without torch; only changes to their weights are read by it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipeline.arrays import Vectors
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
            from pipeline.text.encoders.onnx_weights import changed_model

            model = changed_model(onnx_file(folder), {name: each.numpy() for name, each in added(changes).items()})
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = [each.name for each in self._session.get_inputs()]
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
