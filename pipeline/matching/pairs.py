"""One encoder of texts on a topic: which make the same point, and on which side of the topic each is.

The topic stands before every text, so that both are read together. The cosine of two vectors gives the probability that
their texts make one point. A vector itself tells whether its text is for the topic, against it, or neither.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

from pipeline import models
from pipeline.arrays import Floats, Matrix, Vectors
from pipeline.matching.matcher import on_topic
from pipeline.matching.weights import WeightsHeader, changed_encoder, header_of
from pipeline.text.encoders.sentence_encoder import Encoder

FOR, AGAINST, NEITHER = 0, 1, 2


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

    def vectors(self, topic: str, texts: Sequence[str]) -> Vectors:
        """One unit vector per text."""
        return self.encoder.encode(on_topic(topic, texts))

    def same(self, texts: Vectors, others: Vectors) -> Matrix:
        """The probability that each text (rows) makes the point of each other one (columns)."""
        odds = self.scale * (texts.astype(np.float64) @ others.T.astype(np.float64) - self.centre)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def sides(self, texts: Vectors) -> Matrix:
        """The probabilities that each text (rows) is for its topic, against it, and neither."""
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
