"""The weights of an encoder that was exported to ONNX with 8-bit linear layers: read as floats, and changed.

Such a layer is a matrix of whole numbers between -127 and 127, and the one number that they are multiplied by.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError

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
    return model, {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}


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
