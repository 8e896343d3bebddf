"""Converts OpenAI's and HuggingFace's Whisper models for CTranslate2: the same half-precision numbers, rearranged."""

import base64
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import RostrumError
from pipeline.models.digests import VERIFIED, remembered_sha256
from pipeline.models.finding import Found, cache_folder, own_cache_folder
from pipeline.models.stored import load_tensors
from pipeline.models.whisper_huggingface import (
    Arrays,
    is_huggingface_whisper,
    named_alignment_heads,
    read_huggingface_whisper,
)
from pipeline.system.files import sha256_of

# A file in a converted model's folder with the digests of the original and the converted weights.
_RECORD = ".converted.json"
_WEIGHTS = "model.bin"
# The size of a checkpoint by (audio layers, text layers, mel bands).
_SIZES = {
    (4, 4, 80): "tiny",
    (6, 6, 80): "base",
    (12, 12, 80): "small",
    (24, 24, 80): "medium",
    (32, 32, 80): "large-v2",
    (32, 32, 128): "large-v3",
    (32, 4, 128): "turbo",
}
# A model with fewer tokens knows English only.
_MULTILINGUAL_VOCABULARY = 51865


def is_converted(folder: Path) -> bool:
    """Whether a folder holds a CTranslate2 model."""
    return (folder / _WEIGHTS).is_file() and (folder / "config.json").is_file()


def ctranslate2_folder(model: Found) -> Path:
    """The folder of this model for CTranslate2. Other kinds of models are converted once, into the model cache.

    If the model cache cannot be written, as one that users share, they are converted into the user's own.
    """
    if is_converted(model.path):
        return model.path
    folders = [root / "ctranslate2" / model.digest for root in dict.fromkeys((cache_folder(), own_cache_folder()))]
    if whole := next(filter(_is_whole, folders), None):
        return whole
    problems = []
    for folder in folders:
        try:
            _convert(_checkpoint(model), model.digest, folder)
            return folder
        except OSError as error:
            problems.append(f"{folder.parent}: {error.strerror}; set ROSTRUM_MODELS to a folder for models")
    raise RostrumError(problems[0])


def size_of(n_audio_layer: int, n_text_layer: int, n_mels: int, n_vocab: int) -> str | None:
    """The official Whisper size with this shape; None if there is none."""
    size = _SIZES.get((n_audio_layer, n_text_layer, n_mels))
    return f"{size}.en" if size and n_vocab < _MULTILINGUAL_VOCABULARY else size


def _checkpoint(model: Found) -> Path:
    """The weights of a model: a folder of HuggingFace's, or a checkpoint, which in a folder has the model's name."""
    if not model.path.is_dir() or is_huggingface_whisper(model.path):
        return model.path
    return model.path / f"{model.name}.pt"


def _is_whole(folder: Path) -> bool:
    try:
        record = json.loads((folder / _RECORD).read_text())
        return bool(record["sha256"] == remembered_sha256(folder / _WEIGHTS, folder / VERIFIED))
    except (OSError, ValueError, KeyError):
        return False


def _convert(checkpoint: Path, digest: str, folder: Path) -> None:
    """Convert a model in a temporary folder, then move it to its place, so that it is complete or absent."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".converting-") as staging:
        built = Path(staging, "built")
        built.mkdir()
        convert(checkpoint, built)
        record = {"source": digest, "sha256": sha256_of(built / _WEIGHTS)}
        (built / _RECORD).write_text(json.dumps(record))
        if folder.exists():
            folder.rename(Path(staging, "damaged"))
        try:
            built.rename(folder)
        except OSError:
            if not _is_whole(folder):  # else another process was faster
                raise


def convert(checkpoint: Path, folder: Path) -> None:
    """Write the CTranslate2 model of an OpenAI checkpoint, or of a folder of HuggingFace's, into a folder."""
    from ctranslate2.specs.whisper_spec import WhisperSpec

    dimensions, arrays = _read(checkpoint)
    spec = WhisperSpec(*(dimensions[f"n_{part}"] for part in ("audio_layer", "audio_head", "text_layer", "text_head")))
    for half, target in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        target.position_encodings.encodings = arrays[f"{half}.positional_embedding"]
        for number, layer in enumerate(target.layer):
            _set_block(layer, f"{half}.blocks.{number}", arrays)
    for convolution in ("conv1", "conv2"):
        _set_linear(getattr(spec.encoder, convolution), arrays, f"encoder.{convolution}")
    _set_norm(spec.encoder.layer_norm, arrays, "encoder.ln_post")
    _set_norm(spec.decoder.layer_norm, arrays, "decoder.ln")
    spec.decoder.embeddings.weight = arrays["decoder.token_embedding.weight"]
    spec.decoder.projection.weight = arrays["decoder.token_embedding.weight"]
    tokenizer = _tokenizer(dimensions["n_vocab"])
    spec.register_vocabulary(_vocabulary(tokenizer, dimensions["n_vocab"]))
    _configure(spec.config, tokenizer, dimensions, named_alignment_heads(checkpoint))
    spec.validate()
    spec.optimize(quantization="float16")
    spec.save(str(folder))


def _read(checkpoint: Path) -> tuple[dict[str, int], Arrays]:
    if checkpoint.is_dir():
        return read_huggingface_whisper(checkpoint)
    content = load_tensors(checkpoint)
    try:
        weights = {name: tensor.numpy() for name, tensor in content["model_state_dict"].items()}
        return content["dims"], weights
    except (KeyError, TypeError, AttributeError) as error:
        raise RostrumError(f"{checkpoint}: is not a Whisper checkpoint") from error


def _set_block(layer: Any, source: str, arrays: Arrays) -> None:
    """Set the arrays of one block. CTranslate2 has query, key and value in one matrix."""
    _set_norm(layer.self_attention.layer_norm, arrays, f"{source}.attn_ln")
    _set_linear(
        layer.self_attention.linear[0], arrays, *(f"{source}.attn.{part}" for part in ("query", "key", "value"))
    )
    _set_linear(layer.self_attention.linear[1], arrays, f"{source}.attn.out")
    if f"{source}.cross_attn.query.weight" in arrays:
        _set_norm(layer.attention.layer_norm, arrays, f"{source}.cross_attn_ln")
        _set_linear(layer.attention.linear[0], arrays, f"{source}.cross_attn.query")
        _set_linear(layer.attention.linear[1], arrays, f"{source}.cross_attn.key", f"{source}.cross_attn.value")
        _set_linear(layer.attention.linear[2], arrays, f"{source}.cross_attn.out")
    _set_norm(layer.ffn.layer_norm, arrays, f"{source}.mlp_ln")
    _set_linear(layer.ffn.linear_0, arrays, f"{source}.mlp.0")
    _set_linear(layer.ffn.linear_1, arrays, f"{source}.mlp.2")


def _set_norm(target: Any, arrays: Arrays, source: str) -> None:
    target.gamma, target.beta = arrays[f"{source}.weight"], arrays[f"{source}.bias"]


def _set_linear(target: Any, arrays: Arrays, *sources: str) -> None:
    """Set one layer, or several joined into one. Keys have no bias, so theirs is zero."""
    weights = [arrays[f"{source}.weight"] for source in sources]
    biases = [
        arrays.get(f"{source}.bias", np.zeros(len(weight), weight.dtype))
        for source, weight in zip(sources, weights, strict=True)
    ]
    target.weight, target.bias = np.concatenate(weights), np.concatenate(biases)


def _tokenizer(n_vocab: int) -> Any:
    from whisper.tokenizer import get_tokenizer

    multilingual = n_vocab >= _MULTILINGUAL_VOCABULARY
    return get_tokenizer(multilingual, num_languages=n_vocab - 51765 - multilingual)


def _vocabulary(tokenizer: Any, n_vocab: int) -> list[str]:
    """The name of every token. That of a text token spells each of its bytes as a letter, as in GPT-2."""
    specials = {token: name for name, token in tokenizer.special_tokens.items()}
    letters = _letters()
    return [
        specials.get(token) or "".join(letters[byte] for byte in tokenizer.encoding.decode_single_token_bytes(token))
        for token in range(n_vocab)
    ]


def _letters() -> list[str]:
    """A printable letter for every byte: its own if it has one, else the next unused one from 256 on."""
    own = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    spare = iter(range(256, 512))
    return [chr(byte if byte in own else next(spare)) for byte in range(256)]


def _configure(config: Any, tokenizer: Any, dimensions: dict[str, int], named: list[tuple[int, int]]) -> None:
    layers, heads = dimensions["n_text_layer"], dimensions["n_text_head"]
    size = size_of(dimensions["n_audio_layer"], layers, dimensions["n_mels"], dimensions["n_vocab"])
    config.alignment_heads = [list(head) for head in named or alignment_heads(size, layers, heads)]
    specials = {tokenizer.transcribe, tokenizer.translate, tokenizer.sot, tokenizer.sot_prev, tokenizer.sot_lm}
    config.suppress_ids = sorted({*tokenizer.non_speech_tokens, *specials, tokenizer.no_speech})
    config.suppress_ids_begin = [*tokenizer.encode(" "), tokenizer.eot]
    config.lang_ids = sorted(tokenizer.all_language_tokens)


def alignment_heads(size: str | None, layers: int, heads: int) -> list[tuple[int, int]]:
    """(layer, head) of each attention head that follows the audio: those that OpenAI names, else the last half."""
    import whisper

    named = whisper._ALIGNMENT_HEADS.get(size)
    if named is None:
        return [(layer, head) for layer in range(layers // 2, layers) for head in range(heads)]
    flags = np.frombuffer(gzip.decompress(base64.b85decode(named)), dtype=bool).reshape(layers, heads)
    return list(zip(*(index.tolist() for index in np.nonzero(flags)), strict=True))
