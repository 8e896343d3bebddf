"""Converts CTranslate2, ggml and 8-bit ONNX files of Whisper models into openai-whisper's own checkpoints.

The first two have the original half-precision numbers, so nothing is lost. The order of the tensors, their strides and
the container are those of the official files. So the sha256 of the result is the official one. Numbers of 8 bits are
not the original ones. Their checkpoint has a sha256 of its own, which is the same on every machine.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import RostrumError
from pipeline.models.whisper_huggingface import Arrays, dimensions_of, openai_name

Array = NDArray[Any]
Dimensions = dict[str, int]

_CTRANSLATE2_TYPES = {0: "<f4", 1: "<i1", 2: "<i2", 3: "<i4", 4: "<f2"}
_GGML_MAGIC = 0x67676D6C
_GGML_TYPES = {0: "<f4", 1: "<f2"}
_DIMENSIONS = ["n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer"]
_DIMENSIONS += ["n_text_ctx", "n_text_state", "n_text_head", "n_text_layer"]


def from_ctranslate2(folder: Path, checkpoint: Path) -> None:
    """Write the checkpoint of the CTranslate2 model whose `model.bin`, whole or in parts, is in this folder."""
    content = b"".join(part.read_bytes() for part in sorted(folder.glob("model.bin*")))
    values = _read_ctranslate2(io.BytesIO(content))
    arrays = {
        "encoder.positional_embedding": values["encoder/position_encodings/encodings"],
        "decoder.positional_embedding": values["decoder/position_encodings/encodings"],
        "decoder.token_embedding.weight": values["decoder/embeddings/weight"],
        **_norm(values, "encoder/layer_norm", "encoder.ln_post"),
        **_norm(values, "decoder/layer_norm", "decoder.ln"),
    }
    for name in ("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias"):
        arrays[f"encoder.{name}"] = values["encoder/" + name.replace(".", "/")]
    for half in ("encoder", "decoder"):
        layers = {name.split("/")[1] for name in values if name.startswith(f"{half}/layer_") and name.count("/") > 2}
        for layer in range(len(layers)):
            arrays |= _block(values, f"{half}/layer_{layer}", f"{half}.blocks.{layer}")
    heads = {half: int(values[f"{half}/num_heads"]) for half in ("encoder", "decoder")}
    write_checkpoint(_dimensions(arrays, heads), arrays, checkpoint)


def from_ggml(folder: Path, checkpoint: Path) -> None:
    """Write the checkpoint of the one ggml file in this folder."""
    with next(folder.glob("ggml-*.bin")).open("rb") as file:
        if _unpack(file, "I") != (_GGML_MAGIC,):
            raise RostrumError(f"{file.name}: not a ggml file")
        n_vocab, *sizes, n_mels, _ = _unpack(file, "11i")
        rows, columns = _unpack(file, "2i")
        file.seek(rows * columns * 4, io.SEEK_CUR)  # mel filters
        for _ in range(_unpack(file, "i")[0]):  # vocabulary
            file.seek(_unpack(file, "I")[0], io.SEEK_CUR)
        arrays = dict(_ggml_arrays(file))
    dimensions = {"n_mels": n_mels, "n_vocab": n_vocab, **dict(zip(_DIMENSIONS, sizes, strict=True))}
    write_checkpoint(dimensions, arrays, checkpoint)


def from_onnx(folder: Path, checkpoint: Path) -> None:
    """Write the checkpoint of the 8-bit ONNX files and the configuration in this folder."""
    write_checkpoint(*read_onnx_whisper(folder), checkpoint)


CONVERSIONS: dict[str, Callable[[Path, Path], None]] = {
    "ctranslate2": from_ctranslate2,
    "ggml": from_ggml,
    "8-bit onnx": from_onnx,
}


def write_checkpoint(dimensions: Dimensions, arrays: Arrays, path: Path) -> None:
    """Write a Whisper model as the official checkpoints are: half precision, their order, their container."""
    import torch

    layers = {half: dimensions[f"n_{kind}_layer"] for half, kind in (("decoder", "text"), ("encoder", "audio"))}
    weights = {name: _tensor(name, arrays[name]) for name in _official_order(layers)}
    keys = ["n_mels", "n_vocab", *_DIMENSIONS]
    saved = io.BytesIO()
    torch.save({"dims": {key: dimensions[key] for key in keys}, "model_state_dict": weights}, saved)
    with zipfile.ZipFile(saved) as archive, path.open("wb") as file:
        root = archive.namelist()[0].split("/")[0]
        data = sorted(name for name in archive.namelist() if name.startswith(f"{root}/data/"))
        records = {"archive/data.pkl": archive.read(f"{root}/data.pkl")}
        records |= {f"archive/data/{name.rsplit('/', 1)[1]}": archive.read(name) for name in data}
        _write_container({**records, "archive/version": b"3\n"}, file)


def _read_ctranslate2(file: IO[bytes]) -> Arrays:
    """The variables of a CTranslate2 `model.bin`, by name."""
    _unpack(file, "I")
    _text(file)
    _, count = _unpack(file, "2I")
    values = {}
    for _ in range(count):
        name, (rank,) = _text(file), _unpack(file, "B")
        shape = _unpack(file, f"{rank}I")
        kind, size = _unpack(file, "BI")
        if kind not in _CTRANSLATE2_TYPES:
            raise RostrumError(f"model.bin: {name} has a type (number {kind}) that cannot be read")
        values[name] = np.frombuffer(file.read(size), dtype=_CTRANSLATE2_TYPES[kind]).reshape(shape)
    return values


def _text(file: IO[bytes]) -> str:
    return file.read(_unpack(file, "H")[0]).rstrip(b"\0").decode()


def _block(values: Arrays, source: str, target: str) -> Arrays:
    """The arrays of one block. CTranslate2 has query, key and value in one matrix, and a bias of zeros for the keys."""
    arrays = {
        **_norm(values, f"{source}/ffn/layer_norm", f"{target}.mlp_ln"),
        **_linear(values, f"{source}/ffn/linear_0", f"{target}.mlp.0"),
        **_linear(values, f"{source}/ffn/linear_1", f"{target}.mlp.2"),
        **_norm(values, f"{source}/self_attention/layer_norm", f"{target}.attn_ln"),
        **_fused(values, f"{source}/self_attention/linear_0", f"{target}.attn", ["query", "key", "value"]),
        **_linear(values, f"{source}/self_attention/linear_1", f"{target}.attn.out"),
    }
    if f"{source}/attention/linear_0/weight" in values:
        arrays |= {
            **_norm(values, f"{source}/attention/layer_norm", f"{target}.cross_attn_ln"),
            **_linear(values, f"{source}/attention/linear_0", f"{target}.cross_attn.query"),
            **_fused(values, f"{source}/attention/linear_1", f"{target}.cross_attn", ["key", "value"]),
            **_linear(values, f"{source}/attention/linear_2", f"{target}.cross_attn.out"),
        }
    return arrays


def _norm(values: Arrays, source: str, target: str) -> Arrays:
    return {f"{target}.weight": values[f"{source}/gamma"], f"{target}.bias": values[f"{source}/beta"]}


def _linear(values: Arrays, source: str, target: str) -> Arrays:
    return {f"{target}.{name}": values[f"{source}/{name}"] for name in ("weight", "bias")}


def _fused(values: Arrays, source: str, target: str, parts: list[str]) -> Arrays:
    weights = np.split(values[f"{source}/weight"], len(parts))
    biases = np.split(values[f"{source}/bias"], len(parts))
    arrays = {}
    for part, weight, bias in zip(parts, weights, biases, strict=True):
        arrays[f"{target}.{part}.weight"] = weight
        if part != "key":
            arrays[f"{target}.{part}.bias"] = bias
    return arrays


def _dimensions(arrays: Arrays, heads: dict[str, int]) -> Dimensions:
    dimensions = {"n_mels": arrays["encoder.conv1.weight"].shape[1]}
    dimensions["n_vocab"] = arrays["decoder.token_embedding.weight"].shape[0]
    for half, kind in (("encoder", "audio"), ("decoder", "text")):
        length, state = arrays[f"{half}.positional_embedding"].shape
        layers = len({name.split(".")[2] for name in arrays if name.startswith(f"{half}.blocks.")})
        sizes = {"ctx": length, "state": state, "head": heads[half], "layer": layers}
        dimensions |= {f"n_{kind}_{size}": number for size, number in sizes.items()}
    return dimensions


def _ggml_arrays(file: IO[bytes]) -> Iterator[tuple[str, Array]]:
    while header := file.read(12):
        rank, length, kind = struct.unpack("<3i", header)
        shape = _unpack(file, f"{rank}i")[::-1]
        name = file.read(length).decode()
        dtype = np.dtype(_GGML_TYPES[kind])
        array = np.frombuffer(file.read(dtype.itemsize * int(np.prod(shape))), dtype=dtype).reshape(shape)
        # In a ggml file, the biases of convolutions are columns.
        yield name, array.ravel() if name.endswith("bias") else array


def _official_order(layers: dict[str, int]) -> list[str]:
    order = ["decoder.positional_embedding", "encoder.positional_embedding", "decoder.token_embedding.weight"]
    for layer in range(layers["decoder"]):
        order += _block_order(f"decoder.blocks.{layer}", ["attn", "cross_attn"])
    order += ["decoder.ln.weight", "decoder.ln.bias"]
    order += [f"encoder.{name}" for name in ("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias")]
    for layer in range(layers["encoder"]):
        order += _block_order(f"encoder.blocks.{layer}", ["attn"])
    return [*order, "encoder.ln_post.weight", "encoder.ln_post.bias"]


def _block_order(block: str, attentions: list[str]) -> list[str]:
    order = [f"{block}.{layer}.{name}" for layer in ("mlp_ln", "mlp.0", "mlp.2") for name in ("weight", "bias")]
    for attention in attentions:
        order += [f"{block}.{attention}_ln.weight", f"{block}.{attention}_ln.bias"]
        for part in ("query", "key", "value", "out"):
            order += [f"{block}.{attention}.{part}.weight"]
            order += [f"{block}.{attention}.{part}.bias"] if part != "key" else []
    return order


def _tensor(name: str, array: Array) -> Any:
    """A tensor with its own storage. Matrices of linear layers are stored by columns, as in the official files."""
    import torch

    array = array.astype(np.float16)
    if ".blocks." in name and array.ndim == 2:
        return torch.tensor(np.ascontiguousarray(array.T)).t()
    return torch.tensor(np.ascontiguousarray(array))


def _write_container(records: dict[str, bytes], file: IO[bytes]) -> None:
    """Write a zip file as PyTorch 1.x did: stored, contents at multiples of 64 bytes, sizes after them, no dates."""
    entries, offset = [], 0
    for name, content in records.items():
        encoded = name.encode()
        filler = -(offset + 30 + len(encoded) + 4) % 64
        extra = b"FB" + struct.pack("<H", filler) + b"Z" * filler
        sizes = struct.pack("<3I", zlib.crc32(content), len(content), len(content))
        header = struct.pack("<I5H3I2H", 0x04034B50, 0, 0x808, 0, 0, 0, 0, 0, 0, len(encoded), len(extra))
        entries.append(
            struct.pack("<I6H", 0x02014B50, 0, 0, 0x808, 0, 0, 0)
            + sizes
            + struct.pack("<5H2I", len(encoded), 0, 0, 0, 0, 0, offset)
            + encoded
        )
        offset += file.write(header + encoded + extra + content + struct.pack("<I", 0x08074B50) + sizes)
    directory = b"".join(entries)
    count, end = len(entries), offset + len(directory)
    file.write(directory)
    file.write(struct.pack("<IQ2H2I4Q", 0x06064B50, 44, 0x031E, 45, 0, 0, count, count, len(directory), offset))
    file.write(struct.pack("<2IQI", 0x07064B50, 0, end, 1))
    file.write(struct.pack("<I4H2IH", 0x06054B50, 0, 0, count, count, len(directory), offset, 0))


def _unpack(file: IO[bytes], form: str) -> tuple[Any, ...]:
    return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))


_QUANTIZED, _ZERO_POINT, _SCALE = "_quantized", "_zero_point", "_scale"
# 8-bit ONNX files, turned back into numbers: each is (its 8 bits - zero point) * scale.

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
