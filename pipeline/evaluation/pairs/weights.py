"""What was learnt of pairs of texts, as a safetensors file with a header."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.argue.keypoints.weights import stored_header

if TYPE_CHECKING:
    import torch

_METADATA = "pairs"


@dataclass(frozen=True)
class PairsHeader:
    """What the weights change, what they learnt from and how, and the small numbers that stand beside them."""

    base: str
    base_digest: str
    training: dict[str, Any]
    attribution: str
    head: dict[str, Any]


def trained_file() -> Path:
    """Where `rostrum train pairs` leaves the weights unless told otherwise."""
    from pipeline import models

    return models.cache_folder() / "pairs" / "pairs.safetensors"


def save(file: Path, tensors: Mapping[str, "torch.Tensor"], header: PairsHeader) -> None:
    """Write weights in half precision, whole or not at all."""
    from safetensors.torch import save_file

    file.parent.mkdir(parents=True, exist_ok=True)
    halves = {name: tensor.detach().half().contiguous() for name, tensor in tensors.items()}
    temporary = file.with_name(f".{file.name}")
    save_file(halves, temporary, metadata={_METADATA: json.dumps(asdict(header), sort_keys=True)})
    temporary.replace(file)


def load(file: Path) -> dict[str, "torch.Tensor"]:
    """The weights of a file."""
    from safetensors.torch import load_file

    return {name: tensor.float() for name, tensor in load_file(file).items()}


def header_of(file: Path) -> PairsHeader:
    """The header of a file. The weights are not read, and torch is not needed."""
    return PairsHeader(**stored_header(file, _METADATA))
