"""Encoders that were trained here: a safetensors file of changes with a header, and the encoder of pairs."""

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from pipeline import models
from pipeline.arrays import Floats, Floats32, Matrix
from pipeline.errors import RostrumError
from pipeline.matching.matcher import on_topic
from pipeline.models.stored import check_encoder
from pipeline.system.files import write_file
from pipeline.text.encoders.sentence_encoder import Encoder

if TYPE_CHECKING:
    import torch


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


def load(file: Path) -> dict[str, Floats32]:
    """The changes of a file."""
    from safetensors.numpy import load_file

    return {name: array.astype(np.float32) for name, array in load_file(file).items()}


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


FOR, AGAINST, NEITHER = 0, 1, 2


# One encoder of texts on a topic: which make the same point, and on which side of the topic each is.
#
# The topic stands before every text, so that both are read together. The cosine of two vectors gives the probability
# that their texts make one point. A vector itself tells whether its text is for the topic, against it, or neither.


@dataclass(frozen=True, kw_only=True)
class PairsHeader(WeightsHeader):
    """Changes that make an encoder of pairs; `head` has the other numbers of a `PairEncoder`."""

    kind = "pairs"

    head: dict[str, Any]


@dataclass(frozen=True)
class PairEncoder:
    """Reads each text once, with its topic; pairs of texts then cost a product of vectors.

    `side_weights` and `side_bias` turn a vector into the odds of FOR, AGAINST and NEITHER; `centre` and `scale` a
    cosine into those of one point.
    """

    name: str
    digest: str
    encoder: Encoder
    side_weights: Floats
    side_bias: Floats
    centre: float
    scale: float

    def vectors(self, topic: str, texts: Sequence[str]) -> Floats32:
        """One unit vector per text."""
        return self.encoder.encode(on_topic(topic, texts))

    def same(self, texts: Floats32, others: Floats32) -> Matrix:
        """The probability that each text (rows) makes the point of each other one (columns)."""
        odds = self.scale * (texts.astype(np.float64) @ others.T.astype(np.float64) - self.centre)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def sides(self, texts: Floats32) -> Matrix:
        """The probabilities that each text (rows) is for its topic, against it, and neither."""
        from scipy.special import softmax

        odds = texts.astype(np.float64) @ self.side_weights.T + self.side_bias
        return np.asarray(softmax(odds, axis=1))


def trained_file() -> Path:
    """Where `rostrum train pairs` leaves the weights unless told otherwise."""
    return models.cache_folder() / "pairs" / "pairs.safetensors"


@functools.cache
def load_pairs(file: Path) -> PairEncoder:
    """The encoder of a file of `rostrum train pairs`."""
    header = header_of(file, PairsHeader)
    encoder, head = changed_encoder(file, header), header.head
    return PairEncoder(
        file.stem,
        encoder.digest,
        encoder,
        np.array(head["side_weights"]),
        np.array(head["side_bias"]),
        float(head["centre"]),
        float(head["scale"]),
    )
