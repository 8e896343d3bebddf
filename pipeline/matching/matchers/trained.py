"""trained: the encoder that `rostrum train keypoints` fine-tuned."""

from pathlib import Path

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.matching.matcher import MatcherKind
from pipeline.matching.matchers.weights import load_weights, weights_digests


def trained_file() -> Path:
    """Where `rostrum train keypoints` leaves the weights unless told otherwise."""
    return models.cache_folder() / "keypoints" / "matcher.safetensors"


def _existing() -> Path:
    file = trained_file()
    if not file.exists():
        raise RostrumError(f"{file}: no such file; make it with: rostrum train keypoints --data DIR")
    return file


MATCHER = MatcherKind(
    "trained", lambda model: load_weights(_existing(), "trained"), lambda model: weights_digests(_existing(), "trained")
)
