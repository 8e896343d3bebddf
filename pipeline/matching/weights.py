"""Trained changes to an encoder as a safetensors file with a header; the weights of pairs are such a file, too."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.models.stored import check_encoder
from pipeline.system.files import write_file

if TYPE_CHECKING:
    import torch

    from pipeline.text.encoders.sentence_encoder import Encoder


@dataclass(frozen=True, kw_only=True)
class WeightsHeader:
    """What every file of changes says: the encoder that they belong to, how it was trained, and on whose data.

    `rostrum train KIND` writes files of this kind.
    """

    kind: ClassVar[str]

    base: str
    base_digest: str
    training: dict[str, Any]
    attribution: str = ""


@dataclass(frozen=True, kw_only=True)
class MatcherHeader(WeightsHeader):
    """Changes that match arguments with key points: the data they learned from, and from which score on is a match.

    The encoder of a `topical` one reads the topic before every text.
    """

    kind = "keypoints"

    data_digest: str
    threshold: float
    topical: bool = True


Header = TypeVar("Header", bound=WeightsHeader)


def save(file: Path, changes: Mapping[str, "torch.Tensor"], header: WeightsHeader) -> None:
    """Write the changes in half precision, whole or not at all."""
    from safetensors import torch as tensors

    file.parent.mkdir(parents=True, exist_ok=True)
    halves = {name: tensor.detach().half().contiguous() for name, tensor in changes.items()}
    content = tensors.save(halves, metadata={header.kind: json.dumps(asdict(header), sort_keys=True)})
    write_file(file, content, replace=True)


def load(file: Path) -> dict[str, "torch.Tensor"]:
    """The changes of a file."""
    from safetensors.torch import load_file

    changes: dict[str, torch.Tensor] = load_file(file)
    return changes


def changed_encoder(file: Path, header: WeightsHeader) -> "Encoder":
    """The encoder that a file of this header belongs to, changed by its weights."""
    from pipeline.text.encoders.sentence_encoder import load_changed_encoder

    check_encoder(file, header.base, header.base_digest, header.kind)
    digest = hashlib.sha256(f"{header.base_digest} {models.find(file).digest}".encode()).hexdigest()
    return load_changed_encoder(header.base, digest, lambda: load(file))


def header_of(file: Path, kind: type[Header]) -> Header:
    """The header of a file of this kind. The weights are not read, and torch is not needed."""
    from safetensors import SafetensorError, safe_open

    if not file.is_file():  # a pipe would be waited for
        raise RostrumError(f"{file}: {'not a file' if file.exists() else 'no such file'}")
    try:
        with safe_open(file, framework="numpy") as content:
            metadata = content.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise RostrumError(f"{file}: cannot be read as trained weights: {error}") from error
    if kind.kind not in metadata:
        raise RostrumError(f"{file}: not what `rostrum train {kind.kind}` writes")
    return kind(**json.loads(metadata[kind.kind]))
