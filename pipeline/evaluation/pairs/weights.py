"""The weights that `rostrum train pairs` learns, as a safetensors file with a header."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.argue.keypoints import weights

if TYPE_CHECKING:
    import torch

_METADATA = "pairs"


@dataclass(frozen=True)
class PairsHeader:
    """The encoder that the weights belong to, how they were trained, and the numbers of the heads."""

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
    weights.store(file, tensors, _METADATA, asdict(header))


def header_of(file: Path) -> PairsHeader:
    """The header of a file. The weights are not read, and torch is not needed."""
    return PairsHeader(**weights.stored_header(file, _METADATA))
