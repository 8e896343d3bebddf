"""cross-encoder: a model that reads argument and key point together; slow, it runs for every pair."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.arrays import Matrix
from pipeline.matching.matcher import MatcherKind, model_digest, on_topic
from pipeline.text.encoders.cross_encoder import CrossEncoder, load_cross_encoder


@dataclass(frozen=True)
class CrossEncoderMatcher:
    """A cross-encoder in the layout of sentence-transformers."""

    model: CrossEncoder
    threshold: float = 0.5

    @property
    def name(self) -> str:
        return f"cross-encoder:{self.model.name}"

    @property
    def digest(self) -> str:
        return self.model.digest

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        pairs = [(argument, key_point) for argument in arguments for key_point in on_topic(topic, key_points)]
        return self.model.probabilities(pairs).reshape(len(arguments), len(key_points))


MATCHER = MatcherKind(
    "cross-encoder", lambda model: CrossEncoderMatcher(load_cross_encoder(model)), model_digest, needs_model=True
)
