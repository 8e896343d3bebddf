"""Reads Whisper models as HuggingFace's transformers have them, by the names that OpenAI's checkpoints use."""

import json
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pipeline.errors import RostrumError
from pipeline.models.stored import load_tensors

Arrays = dict[str, NDArray[Any]]

_CONFIGURATION, _GENERATION = "config.json", "generation_config.json"
_SAFE, _SHARDS, _UNSAFE = "model.safetensors", "model-*-of-*.safetensors", "pytorch_model.bin"
# The names of HuggingFace and OpenAI, replaced in this order: a name on the left may be part of one further down.
_NAMES = {
    "model.": "",
    "layers.": "blocks.",
    "embed_tokens.": "token_embedding.",
    "embed_positions.weight": "positional_embedding",
    "self_attn_layer_norm": "attn_ln",
    "encoder_attn_layer_norm": "cross_attn_ln",
    "final_layer_norm": "mlp_ln",
    "encoder.layer_norm": "encoder.ln_post",
    "decoder.layer_norm": "decoder.ln",
    "encoder_attn": "cross_attn",
    "self_attn": "attn",
    "q_proj": "query",
    "k_proj": "key",
    "v_proj": "value",
    "out_proj": "out",
    "fc1": "mlp.0",
    "fc2": "mlp.2",
}
_DIMENSIONS = {
    "n_mels": "num_mel_bins",
    "n_vocab": "vocab_size",
    "n_audio_ctx": "max_source_positions",
    "n_audio_state": "d_model",
    "n_audio_head": "encoder_attention_heads",
    "n_audio_layer": "encoder_layers",
    "n_text_ctx": "max_target_positions",
    "n_text_state": "d_model",
    "n_text_head": "decoder_attention_heads",
    "n_text_layer": "decoder_layers",
}


def is_huggingface_whisper(path: Path) -> bool:
    """Whether a folder is a Whisper model of HuggingFace's transformers."""
    return _object(path / _CONFIGURATION).get("model_type") == "whisper"


def read_huggingface_whisper(folder: Path) -> tuple[dict[str, int], Arrays]:
    """(dimensions, arrays) of such a model, by OpenAI's names."""
    tensors = {name: tensor for file in _weight_files(folder) for name, tensor in _tensors(file).items()}
    return dimensions_of(folder), {openai_name(name): tensor.float().numpy() for name, tensor in tensors.items()}


def dimensions_of(folder: Path) -> dict[str, int]:
    """The dimensions in a model's configuration, by OpenAI's names."""
    configuration = _object(folder / _CONFIGURATION)
    try:
        return {name: int(configuration[theirs]) for name, theirs in _DIMENSIONS.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise RostrumError(f"{folder / _CONFIGURATION}: is not complete: {error} is missing") from error


def named_alignment_heads(folder: Path) -> list[tuple[int, int]]:
    """(layer, head) of each attention head that follows the audio, if the model's makers name them."""
    heads = _object(folder / _GENERATION).get("alignment_heads") or []
    return [(int(layer), int(head)) for layer, head in heads]


def _weight_files(folder: Path) -> list[Path]:
    files = [folder / _SAFE] if (folder / _SAFE).exists() else sorted(folder.glob(_SHARDS))
    files = files or sorted(folder.glob(_UNSAFE))
    if not files:
        raise RostrumError(f"{folder}: a Whisper model without weights; {_SAFE} is missing")
    return files


def _tensors(file: Path) -> dict[str, Any]:
    if file.suffix != ".safetensors":
        return dict(load_tensors(file))
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(file)
    except (SafetensorError, OSError) as error:
        raise RostrumError(f"{file}: cannot be read as weights; is it complete, and of the right kind?") from error


def openai_name(name: str) -> str:
    """OpenAI's name of an array.

    >>> openai_name("model.decoder.layers.0.encoder_attn.q_proj.weight")
    'decoder.blocks.0.cross_attn.query.weight'
    """
    for theirs, ours in _NAMES.items():
        name = name.replace(theirs, ours)
    return name


def _object(path: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one if there is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
