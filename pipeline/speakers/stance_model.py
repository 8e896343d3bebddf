"""The encoder that reads a motion and a text together, and tells how probably the text is for the motion or against it.

It is an encoder with low-rank changes and a head of three outputs, as `rostrum train sides` writes them.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline import models
from pipeline.arrays import Floats, Matrix
from pipeline.matching.weights import WeightsHeader, changed_encoder, header_of
from pipeline.records import file_digest
from pipeline.text.encoders.sentence_encoder import Encoder

FOR, AGAINST, NEITHER = 0, 1, 2
# Between motion and text: the tokenizers of BERT's family read it as the mark between two texts.
SEPARATOR = " [SEP] "
# A vector has length 1; the head reads it times this.
SCALE = 10.0
PACKAGED_FILE = Path(__file__).with_name("sides.safetensors")


@dataclass(frozen=True, kw_only=True)
class SidesHeader(WeightsHeader):
    """Changes that make an encoder of sides; `head` has its weights, biases, and passages on other topics."""

    kind = "sides"

    head: dict[str, Any]


@dataclass(frozen=True, eq=False)
class StanceModel:
    """Reads each text with its motion. `weights` and `bias` turn a vector into the odds of FOR, AGAINST and NEITHER.

    `elsewhere` are passages on all kinds of topics: what is found in these tells how the model reads the motion itself.
    """

    digest: str
    encoder: Encoder
    weights: Floats
    bias: Floats
    elsewhere: tuple[str, ...]

    def logarithms(self, motion: str, texts: Sequence[str]) -> Matrix:
        """One row per text: the logarithms of the probabilities of FOR, AGAINST and NEITHER."""
        from scipy.special import log_softmax  # importing it takes longer than all else of this room

        if not texts:
            return np.zeros((0, 3))
        vectors = self.encoder.encode([together(motion, text) for text in texts]).astype(np.float64)
        return np.asarray(log_softmax(vectors @ self.weights.T + self.bias, axis=1))


def together(motion: str, text: str) -> str:
    """Motion and text as the encoder reads them."""
    return f"{motion.strip().rstrip('.')}{SEPARATOR}{text}"


def trained_file() -> Path:
    """Where `rostrum train sides` leaves the weights unless told otherwise."""
    return models.cache_folder() / "speakers" / "sides.safetensors"


def stance_digests() -> dict[str, str]:
    """Name and digest of the model that comes with rostrum, and of its encoder."""
    header = header_of(PACKAGED_FILE, SidesHeader)
    return {"sides": file_digest(PACKAGED_FILE), header.base: models.find(header.base).digest}


@functools.cache
def load_stance_model(file: Path = PACKAGED_FILE) -> StanceModel:
    """The model of a file of `rostrum train sides`; without a file, the one that comes with rostrum."""
    header = header_of(file, SidesHeader)
    encoder = changed_encoder(file, header)
    head = header.head
    return StanceModel(
        encoder.digest, encoder, np.array(head["weights"]), np.array(head["bias"]), tuple(head["elsewhere"])
    )
