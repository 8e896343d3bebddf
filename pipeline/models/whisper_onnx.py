"""Turns the 8-bit ONNX files of a Whisper model back into numbers: each is (its 8 bits - zero point) * scale."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import RostrumError
from pipeline.models.whisper_huggingface import Arrays, dimensions_of, openai_name

_QUANTIZED, _ZERO_POINT, _SCALE = "_quantized", "_zero_point", "_scale"
# What the exporter adds to the names of a decoder that is two graphs in one.
_MERGED = "_merged_0"
_ENCODER, _DECODER = "encoder_model_quantized.onnx", "decoder_model_merged_quantized.onnx"


def read_onnx_whisper(folder: Path) -> tuple[dict[str, int], Arrays]:
    """(dimensions, arrays) of such a model, by OpenAI's names. Each number is half precision."""
    dimensions = dimensions_of(folder)
    arrays = {openai_name(f"encoder.{name}"): array for name, array in _arrays(folder / _ENCODER)}
    arrays |= {openai_name(name): array for name, array in _arrays(folder / _DECODER)}
    return dimensions, arrays


def _arrays(file: Path) -> Iterator[tuple[str, Any]]:
    """The arrays of a file, by HuggingFace's names."""
    import onnx
    from onnx.numpy_helper import to_array

    try:
        graph = onnx.load(str(file)).graph
    except Exception as error:  # a damaged file can raise errors of many kinds
        raise RostrumError(f"{file}: cannot be read as an ONNX model; is it complete?") from error
    stored = {tensor.name: tensor for tensor in graph.initializer}
    places = dict(_places(graph))
    for name, tensor in stored.items():
        plain = name.removesuffix(_QUANTIZED)
        if name != plain:
            bits, zero, scale = (to_array(stored[plain + suffix]) for suffix in (_QUANTIZED, _ZERO_POINT, _SCALE))
            # Sums of 8-bit numbers would not fit into 8 bits.
            array = ((bits.astype(np.float32) - np.float32(zero)) * scale).astype(np.float16)
            place = places.get(name, plain.removesuffix(_MERGED))
            # ONNX multiplies by a matrix from the right, PyTorch by its transpose.
            yield place, array.T if name in places else array
        elif not name.endswith((_ZERO_POINT, _SCALE, "_reshape_shape")):
            yield name.removesuffix(_MERGED), to_array(tensor).astype(np.float16)


def _places(graph: Any) -> Iterator[tuple[str, str]]:
    """(stored name, HuggingFace's name) of each matrix. The exporter numbered them; the node that uses one says which.

    A node `/model/decoder/layers.0/fc1/MatMul_quant` multiplies by `model.decoder.layers.0.fc1.weight`.
    """
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            layer = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
            yield node.input[1], f"{layer}.weight"
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _places(attribute.g)
