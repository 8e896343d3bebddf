"""Trained changes to an encoder as a safetensors file with a header."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import RostrumError

if TYPE_CHECKING:
    import torch

    from pipeline.text.encoders.sentence_encoder import Encoder

_METADATA = "keypoints"


@dataclass(frozen=True)
class WeightsHeader:
    """The encoder that trained changes belong to, the data they learned from, and how to use them."""

    base: str
    base_digest: str
    data_digest: str
    threshold: float
    training: dict[str, Any]
    attribution: str = ""


def save(file: Path, changes: Mapping[str, "torch.Tensor"], header: WeightsHeader) -> None:
    """Write the changes in half precision."""
    store(file, changes, _METADATA, asdict(header))


def store(file: Path, tensors: Mapping[str, "torch.Tensor"], kind: str, header: Mapping[str, Any]) -> None:
    """Write what `rostrum train KIND` made, in half precision, whole or not at all."""
    from safetensors.torch import save_file

    file.parent.mkdir(parents=True, exist_ok=True)
    halves = {name: tensor.detach().half().contiguous() for name, tensor in tensors.items()}
    temporary = file.with_name(f".{file.name}")
    save_file(halves, temporary, metadata={kind: json.dumps(header, sort_keys=True)})
    temporary.replace(file)


def load(file: Path) -> dict[str, "torch.Tensor"]:
    """The changes of a file."""
    from safetensors.torch import load_file

    changes: dict[str, torch.Tensor] = load_file(file)
    return changes


def changed_encoder(file: Path, base: str, base_digest: str) -> "Encoder":
    """The encoder `base`, changed by the weights of a file. They were trained on the weights of this digest."""
    from pipeline import models
    from pipeline.text.encoders.sentence_encoder import load_changed_encoder

    if models.find(base).digest != base_digest:
        raise RostrumError(f"{file}: trained on another {base} than the one on this machine; train it again")

    def change(encoder: Any) -> None:
        from pipeline.argue.keypoints.low_rank import merge

        merge(encoder, load(file))

    digest = hashlib.sha256(f"{base_digest} {models.find(file).digest}".encode()).hexdigest()
    return load_changed_encoder(base, digest, change)


def header_of(file: Path) -> WeightsHeader:
    """The header of a file. The weights are not read, and torch is not needed."""
    return WeightsHeader(**stored_header(file, _METADATA))


def stored_header(file: Path, kind: str) -> dict[str, Any]:
    """The header that `rostrum train KIND` wrote into a file of weights."""
    from safetensors import SafetensorError, safe_open

    if not file.is_file():  # a pipe would be waited for
        raise RostrumError(f"{file}: {'not a file' if file.exists() else 'no such file'}")
    try:
        with safe_open(file, framework="numpy") as content:
            metadata = content.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise RostrumError(f"{file}: cannot be read as trained weights: {error}") from error
    if kind not in metadata:
        raise RostrumError(f"{file}: not what `rostrum train {kind}` writes")
    header: dict[str, Any] = json.loads(metadata[kind])
    return header
