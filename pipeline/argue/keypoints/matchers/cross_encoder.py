"""cross-encoder: a model that reads argument and key point together; slow, it runs for every pair."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline import models
from pipeline.argue.keypoints.matcher import MatcherKind, model_digest, on_topic
from pipeline.arrays import Matrix


@dataclass(frozen=True)
class CrossEncoderMatcher:
    """A cross-encoder in the layout of sentence-transformers."""

    name: str
    digest: str
    model: object
    threshold: float = 0.5

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        pairs = [(argument, key_point) for argument in arguments for key_point in on_topic(topic, key_points)]
        found = self.model.predict(pairs, show_progress_bar=False)  # type: ignore[attr-defined]
        return np.asarray(found, dtype=np.float64).reshape(len(arguments), len(key_points))


@functools.cache
def _load(model: str) -> CrossEncoderMatcher:
    from pipeline.system.torchaudio import import_torchaudio

    found = models.find(model)
    import_torchaudio()
    from sentence_transformers import CrossEncoder

    return CrossEncoderMatcher(f"cross-encoder:{model}", found.digest, CrossEncoder(str(found.path), device="cpu"))


MATCHER = MatcherKind("cross-encoder", _load, model_digest, needs_model=True)
