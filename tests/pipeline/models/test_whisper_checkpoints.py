"""Whisper's own checkpoint from what others made of it."""

import json
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.models import catalogue, digests, whisper_checkpoints
from pipeline.models.catalogue import Archive, Member, Model, WeightFile
from tests.pipeline.models.carriers import sha256, use

pytestmark = pytest.mark.usefixtures("home")


class TestWhisperCheckpoints:
    DIMENSIONS = {
        "n_mels": 4,
        "n_vocab": 11,
        "n_audio_ctx": 6,
        "n_audio_state": 8,
        "n_audio_head": 2,
        "n_audio_layer": 2,
        "n_text_ctx": 5,
        "n_text_state": 8,
        "n_text_head": 2,
        "n_text_layer": 1,
    }

    @pytest.fixture
    def weights(self) -> dict[str, Any]:
        """The half-precision weights of a Whisper model of no use."""
        import torch
        from whisper.model import ModelDimensions, Whisper

        torch.manual_seed(0)
        state = Whisper(ModelDimensions(**self.DIMENSIONS)).state_dict()
        return {name: torch.randn(value.shape).half().numpy() for name, value in state.items()}

    def assert_holds(self, checkpoint: Path, weights: dict[str, Any]) -> None:
        import torch
        import whisper

        assert whisper.load_model(str(checkpoint)).dims.n_vocab == 11
        stored = torch.load(checkpoint, weights_only=True)
        assert stored["dims"] == self.DIMENSIONS
        assert stored["model_state_dict"].keys() == weights.keys()
        for name, value in stored["model_state_dict"].items():
            assert value.dtype == torch.float16
            np.testing.assert_array_equal(value.numpy(), weights[name], err_msg=name)

    def test_from_ctranslate2_in_parts(self, home: Path, weights: dict[str, Any]) -> None:
        content = ctranslate2_file(weights, layers={"encoder": 2, "decoder": 1})
        (home / "model.bin.part1").write_bytes(content[:1000])
        (home / "model.bin.part2").write_bytes(content[1000:])
        whisper_checkpoints.from_ctranslate2(home, home / "made.pt")
        self.assert_holds(home / "made.pt", weights)

    def test_from_ggml(self, home: Path, weights: dict[str, Any]) -> None:
        (home / "ggml-made.bin").write_bytes(ggml_file(self.DIMENSIONS, weights))
        whisper_checkpoints.from_ggml(home, home / "made.pt")
        self.assert_holds(home / "made.pt", weights)

    def test_from_8_bit_onnx(self, home: Path, weights: dict[str, Any]) -> None:
        (home / "config.json").write_text(json.dumps(HUGGINGFACE_DIMENSIONS))
        rounded = onnx_files(home, weights)
        whisper_checkpoints.from_onnx(home, home / "made.pt")
        self.assert_holds(home / "made.pt", rounded)
        for name, array in weights.items():
            step = (array.max() - array.min()) / 255
            np.testing.assert_allclose(rounded[name], array, atol=0.51 * step + 0.002, err_msg=name)

    def test_a_damaged_onnx_file_is_one_line(self, home: Path) -> None:
        (home / "config.json").write_text(json.dumps(HUGGINGFACE_DIMENSIONS))
        (home / "encoder_model_quantized.onnx").write_bytes(b"no graph")
        with pytest.raises(RostrumError, match="encoder_model_quantized.onnx: cannot be read as an ONNX model"):
            whisper_checkpoints.from_onnx(home, home / "made.pt")

    def test_the_container_is_a_sound_zip_file(self, home: Path, weights: dict[str, Any]) -> None:
        whisper_checkpoints.write_checkpoint(self.DIMENSIONS, weights, home / "made.pt")
        with zipfile.ZipFile(home / "made.pt") as archive:
            assert archive.testzip() is None
            assert archive.namelist()[0] == "archive/data.pkl"
            assert len(archive.namelist()) == len(weights) + 2

    def test_a_fetch_converts(
        self, offer: Callable[..., Archive], home: Path, weights: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        content = ggml_file(self.DIMENSIONS, weights)
        whisper_checkpoints.write_checkpoint(self.DIMENSIONS, weights, home / "expected.pt")
        expected = (home / "expected.pt").read_bytes()
        member = Member(
            offer("carrier", {"ggml-x.bin": content}),
            "ggml-x.bin",
            WeightFile("ggml-x.bin", sha256(content), len(content)),
        )
        converted = WeightFile("x.pt", sha256(expected), len(expected))
        model = Model("x", "speech recognition", "MIT", (member,), conversion="ggml", converted=converted)
        use(monkeypatch, model)
        found = models.fetch("x")
        assert found.digest == sha256(expected)
        assert [file.name for file in digests.files_in(found.path)] == ["x.pt"]

        use(monkeypatch, replace(model, name="y", converted=replace(converted, sha256=sha256(b"other"))))
        with pytest.raises(RostrumError, match="not that of the catalogue"):
            models.fetch("y")

    def test_the_official_file_is_written_byte_for_byte(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import torch

        monkeypatch.delenv("ROSTRUM_MODELS")
        try:
            official = models.find("tiny.en").path / "tiny.en.pt"
        except RostrumError as error:
            pytest.skip(str(error))
        checkpoint = torch.load(official, weights_only=True)
        weights = {name: value.numpy() for name, value in checkpoint["model_state_dict"].items()}
        whisper_checkpoints.write_checkpoint(checkpoint["dims"], weights, home / "tiny.en.pt")
        assert digests.sha256_of(home / "tiny.en.pt") == catalogue.WHISPER_SHA256["tiny.en"]


def ctranslate2_file(weights: dict[str, Any], layers: dict[str, int]) -> bytes:
    """What CTranslate2's converter makes of a Whisper model."""
    values: dict[str, Any] = {
        "encoder/num_heads": np.array(2, np.int16),
        "decoder/num_heads": np.array(2, np.int16),
        "decoder/embeddings/weight": weights["decoder.token_embedding.weight"],
    }

    def norm(target: str, source: str) -> None:
        values[f"{target}/gamma"], values[f"{target}/beta"] = weights[f"{source}.weight"], weights[f"{source}.bias"]

    def linear(target: str, *sources: str) -> None:
        values[f"{target}/weight"] = np.concatenate([weights[f"{source}.weight"] for source in sources])
        zeros = np.zeros(8, np.float16)
        values[f"{target}/bias"] = np.concatenate([weights.get(f"{source}.bias", zeros) for source in sources])

    for half, last in (("encoder", "encoder.ln_post"), ("decoder", "decoder.ln")):
        values[f"{half}/position_encodings/encodings"] = weights[f"{half}.positional_embedding"]
        norm(f"{half}/layer_norm", last)
        for layer in range(layers[half]):
            block, to = f"{half}.blocks.{layer}", f"{half}/layer_{layer}"
            norm(f"{to}/self_attention/layer_norm", f"{block}.attn_ln")
            linear(f"{to}/self_attention/linear_0", *(f"{block}.attn.{name}" for name in ("query", "key", "value")))
            linear(f"{to}/self_attention/linear_1", f"{block}.attn.out")
            norm(f"{to}/ffn/layer_norm", f"{block}.mlp_ln")
            linear(f"{to}/ffn/linear_0", f"{block}.mlp.0")
            linear(f"{to}/ffn/linear_1", f"{block}.mlp.2")
            if half == "decoder":
                norm(f"{to}/attention/layer_norm", f"{block}.cross_attn_ln")
                linear(f"{to}/attention/linear_0", f"{block}.cross_attn.query")
                linear(f"{to}/attention/linear_1", f"{block}.cross_attn.key", f"{block}.cross_attn.value")
                linear(f"{to}/attention/linear_2", f"{block}.cross_attn.out")
    for convolution in ("conv1", "conv2"):
        linear(f"encoder/{convolution}", f"encoder.{convolution}")

    def text(value: str) -> bytes:
        return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"

    file = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<2I", 3, len(values))
    for name, value in values.items():
        kind = 4 if value.dtype == np.float16 else 2
        file += text(name) + struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape)
        file += struct.pack("<BI", kind, value.nbytes) + value.tobytes()
    return file


HUGGINGFACE_DIMENSIONS = {
    "num_mel_bins": 4,
    "vocab_size": 11,
    "max_source_positions": 6,
    "d_model": 8,
    "encoder_attention_heads": 2,
    "encoder_layers": 2,
    "max_target_positions": 5,
    "decoder_attention_heads": 2,
    "decoder_layers": 1,
}


def onnx_files(folder: Path, weights: dict[str, Any]) -> dict[str, Any]:
    """Write what optimum and onnxruntime make of a Whisper model; returns its numbers after rounding.

    Matrices have numbers as names, the decoder is two graphs in one, biases and norms stay floats.
    """
    from onnx import TensorProto, helper, numpy_helper, save

    theirs = {"blocks": "layers", "attn_ln": "self_attn_layer_norm", "cross_attn_ln": "encoder_attn_layer_norm"}
    theirs |= {"mlp_ln": "final_layer_norm", "attn": "self_attn", "cross_attn": "encoder_attn", "query": "q_proj"}
    theirs |= {"key": "k_proj", "value": "v_proj", "out": "out_proj", "ln_post": "layer_norm", "ln": "layer_norm"}
    theirs |= {"token_embedding": "embed_tokens"}
    nodes: dict[str, list[Any]] = {"encoder": [], "decoder": []}
    tensors: dict[str, list[Any]] = {"encoder": [], "decoder": []}
    rounded = dict(weights)
    for number, (name, array) in enumerate(weights.items()):
        half, _, rest = name.partition(".")
        rest = rest.replace("mlp.0", "fc1").replace("mlp.2", "fc2")
        path = ".".join(theirs.get(part, part) for part in rest.split("."))
        path = path.replace("positional_embedding", "embed_positions.weight")
        prefix, suffix = ("", "") if half == "encoder" else ("model.decoder.", "_merged_0")
        if array.ndim == 1 or "positional" in name:
            tensors[half].append(numpy_helper.from_array(array.astype(np.float32), prefix + path + suffix))
            continue
        scale = np.float32((array.max() - array.min()) / 255)
        zero = np.uint8(np.clip(round(float(-array.min() / scale)), 0, 255))
        bits = np.clip(np.round(array / scale) + zero, 0, 255).astype(np.uint8)
        rounded[name] = ((bits.astype(np.float32) - zero) * scale).astype(np.float16)
        stored = prefix + path + suffix
        if array.ndim == 2 and "embedding" not in name:
            stored, bits = f"onnx::MatMul_{number}{suffix}", bits.T
            place = "/" + (prefix + path.removesuffix(".weight")).replace("layers.", "layers#").replace(".", "/")
            inputs = ["x_quantized", f"{stored}_quantized", "x_zero_point", f"{stored}_zero_point"]
            node = helper.make_node("MatMulInteger", inputs, ["y"], name=place.replace("#", ".") + "/MatMul_quant")
            nodes[half].append(node)
        parts = {"_quantized": bits, "_zero_point": zero, "_scale": scale}
        tensors[half] += [numpy_helper.from_array(np.asarray(part), stored + end) for end, part in parts.items()]
    branch = helper.make_graph(nodes["decoder"], "with past", [], [])
    both = helper.make_node("If", ["use_cache"], ["logits"], then_branch=branch, else_branch=branch)
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    for half, file, own in (
        ("encoder", "encoder_model", nodes["encoder"]),
        ("decoder", "decoder_model_merged", [both]),
    ):
        graph = helper.make_graph(own, half, [], [output], initializer=tensors[half])
        save(helper.make_model(graph), str(folder / f"{file}_quantized.onnx"))
    return rounded


def ggml_file(dimensions: dict[str, int], weights: dict[str, Any]) -> bytes:
    """What whisper.cpp's converter makes of a Whisper model: matrices halved, vectors and positions single."""
    n_mels, n_vocab, *sizes = dimensions.values()
    file = struct.pack("<I11i", 0x67676D6C, n_vocab, *sizes, n_mels, 1)
    file += struct.pack("<2i", 2, 3) + bytes(2 * 3 * 4) + struct.pack("<i", 1) + struct.pack("<I", 2) + b"hi"
    for name, value in weights.items():
        single = value.ndim == 1 or "positional" in name
        if "conv" in name and value.ndim == 1:
            value = value.reshape(-1, 1)
        shape = value.shape[::-1]
        file += struct.pack(f"<3i{len(shape)}i", len(shape), len(name), 0 if single else 1, *shape)
        file += name.encode() + value.astype(np.float32 if single else np.float16).tobytes()
    return file
