"""One encoder of texts on a topic: which make the same point, and on which side of the topic each is.

The topic stands before every text, so that both are read together. A vector's cosine with another one says how probably
they make one point; the vector itself says whether its text is for the topic, against it, or argues nothing of it.
"""

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.argue.keypoints.matcher import on_topic
from pipeline.arrays import Floats, Matrix, Vectors
from pipeline.errors import RostrumError
from pipeline.evaluation.pairs.weights import header_of, load
from pipeline.text.encoders.sentence_encoder import Encoder, load_changed_encoder

FOR, AGAINST, NEITHER = 0, 1, 2


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
        """How probably each text (rows) makes the point of each other one (columns)."""
        odds = self.scale * (texts.astype(np.float64) @ others.T.astype(np.float64) - self.centre)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def sides(self, texts: Vectors) -> Matrix:
        """One row per text: how probably it is for its topic, against it, and neither."""
        odds = texts.astype(np.float64) @ self.side_weights.T + self.side_bias
        shares = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def opposed(self, texts: Vectors, others: Vectors) -> Matrix:
        """How probably each text (rows) is on the other side than each other one (columns)."""
        one, other = self.sides(texts), self.sides(others)
        return np.asarray(
            np.outer(one[:, FOR], other[:, AGAINST]) + np.outer(one[:, AGAINST], other[:, FOR]), dtype=np.float64
        )


@functools.cache
def load_pairs(file: Path) -> PairEncoder:
    """The encoder of a file of `rostrum train pairs`."""
    from pipeline import models

    header = header_of(file)
    if models.find(header.base).digest != header.base_digest:
        raise RostrumError(f"{file}: trained on another {header.base} than the one on this machine; train anew")

    def change(encoder: Any) -> None:
        from pipeline.argue.keypoints.low_rank import merge

        merge(encoder, load(file))

    digest = pairs_digest(file)
    encoder = load_changed_encoder(header.base, digest, change)
    head = header.head
    return PairEncoder(
        file.stem,
        digest,
        encoder,
        np.array(head["side_weights"]),
        np.array(head["side_bias"]),
        float(head["centre"]),
        float(head["scale"]),
    )


def pairs_digest(file: Path) -> str:
    """The digest of the model of a file: of what it changes, and of the changes."""
    from pipeline import models

    digest = models.find(str(file)).digest
    return hashlib.sha256(f"{header_of(file).base_digest} {digest}".encode()).hexdigest()
