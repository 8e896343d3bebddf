"""encoder: the cosine of two sentence vectors, by an encoder as it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix
from pipeline.matching.matcher import MatcherKind, model_digest, on_topic
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

# Where unchanged encoders tell matches from the rest best, on the training part of ArgKP.
_THRESHOLD = 0.6


@dataclass(frozen=True)
class BiEncoder:
    """The cosine of sentence vectors; with `topical`, of texts that have their topic before them."""

    name: str
    encoder: Encoder
    threshold: float
    topical: bool = True

    @property
    def digest(self) -> str:
        return self.encoder.digest

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        if self.topical:
            arguments, key_points = on_topic(topic, arguments), on_topic(topic, key_points)
        return np.asarray(self.encoder.encode(arguments) @ self.encoder.encode(key_points).T, dtype=np.float64)


def plain_encoder(model: str) -> BiEncoder:
    """The matcher of an encoder that was not trained for matching."""
    return BiEncoder(model, load_encoder(model), _THRESHOLD, topical=False)


MATCHER = MatcherKind("encoder", plain_encoder, model_digest, needs_model=True)
