"""Matchers by models: sentence encoders, as they are or fine-tuned for matching, their ensemble, and cross-encoders."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline import models
from pipeline.arrays import Matrix
from pipeline.errors import RostrumError
from pipeline.matching.matcher import Matcher, MatcherKind, model_digest, on_topic
from pipeline.matching.weights import MatcherHeader, changed_encoder, header_of
from pipeline.text.encoders.cross_encoder import CrossEncoder, load_cross_encoder
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

MEMBERS = {
    "encoder": "encoder: the cosine of two sentence vectors, by an encoder as it is.",
    "weights": "weights: a sentence encoder fine-tuned for matching, from a file of trained weights.",
    "trained": "trained: the encoder that `rostrum train keypoints` fine-tuned.",
    "tuned": "tuned: all-MiniLM-L6-v2 fine-tuned on ArgKP; its weights come with rostrum.",
    "tuned-bge": (
        "tuned-bge: bge-small-en-v1.5-int8 fine-tuned on ArgKP as people say it; its weights come with rostrum."
    ),
    "ensemble": "ensemble: the mean of three: tuned, the encoder bge-small-en-v1.5-int8 as it is, and tuned-bge.",
    "cross-encoder": "cross-encoder: a model that reads argument and key point together; slow, it runs for every pair.",
}
TUNED_WEIGHTS = Path(__file__).with_name("argkp.safetensors")
TUNED_BGE_WEIGHTS = Path(__file__).with_name("argkp-bge.safetensors")
SECOND_ENCODER = "bge-small-en-v1.5-int8"
# Where unchanged encoders tell matches from the rest best, on the training part of ArgKP; the ensemble, on dev.
_PLAIN_THRESHOLD = 0.6
_ENSEMBLE_THRESHOLD = 0.638


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
    return BiEncoder(model, load_encoder(model), _PLAIN_THRESHOLD, topical=False)


@functools.cache
def load_weights(file: Path, name: str) -> Matcher:
    """The matcher of a file: the encoder that the weights were trained on, changed by them."""
    header = header_of(file, MatcherHeader)
    return BiEncoder(name, changed_encoder(file, header), header.threshold, header.topical)


def weights_digests(file: Path, name: str) -> dict[str, str]:
    """The digests of the encoder and of the file, which goes by this name."""
    header = header_of(file, MatcherHeader)
    return {header.base: header.base_digest, name: models.find(file).digest}


def trained_file() -> Path:
    """Where `rostrum train keypoints` leaves the weights unless told otherwise."""
    return models.cache_folder() / "keypoints" / "matcher.safetensors"


def _existing() -> Path:
    file = trained_file()
    if not file.exists():
        raise RostrumError(f"{file}: no such file; make it with: rostrum train keypoints --data DIR")
    return file


@dataclass(frozen=True)
class Ensemble:
    """The mean of the scores of several matchers."""

    members: tuple[Matcher, ...]
    name: str
    threshold: float

    @property
    def digest(self) -> str:
        return "+".join(member.digest for member in self.members if member.digest)

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        scores = [member.scores(topic, arguments, key_points) for member in self.members]
        return np.asarray(np.mean(scores, axis=0), dtype=np.float64)


def ensemble(first: Matcher, second: Matcher, name: str) -> Ensemble:
    """The ensemble of two fine-tuned encoders, of which the second learned without topics, and the second as it was."""
    return Ensemble((first, plain_encoder(SECOND_ENCODER), second), name, _ENSEMBLE_THRESHOLD)


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


def _of_file(name: str, file: Path) -> MatcherKind:
    """The kind of matcher whose weights are always this file."""
    return MatcherKind(name, lambda model: load_weights(file, name), lambda model: weights_digests(file, name))


_TUNED = _of_file("tuned", TUNED_WEIGHTS)
_TUNED_BGE = _of_file("tuned-bge", TUNED_BGE_WEIGHTS)
MATCHERS = (
    MatcherKind("encoder", plain_encoder, model_digest, needs_model=True),
    MatcherKind(
        "weights",
        lambda file: load_weights(Path(file).expanduser(), file),
        lambda file: weights_digests(Path(file).expanduser(), file),
        needs_model=True,
    ),
    MatcherKind(
        "trained",
        lambda model: load_weights(_existing(), "trained"),
        lambda model: weights_digests(_existing(), "trained"),
    ),
    _TUNED,
    _TUNED_BGE,
    MatcherKind(
        "ensemble",
        lambda model: ensemble(_TUNED.load(""), _TUNED_BGE.load(""), "ensemble"),
        lambda model: _TUNED.digests("") | model_digest(SECOND_ENCODER) | _TUNED_BGE.digests(""),
    ),
    MatcherKind(
        "cross-encoder", lambda model: CrossEncoderMatcher(load_cross_encoder(model)), model_digest, needs_model=True
    ),
)
