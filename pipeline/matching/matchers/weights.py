"""weights: a sentence encoder fine-tuned for matching, from a file of trained weights."""

import functools
from pathlib import Path

from pipeline import models
from pipeline.matching.matcher import Matcher, MatcherKind
from pipeline.matching.matchers.encoder import BiEncoder
from pipeline.matching.weights import MatcherHeader, changed_encoder, header_of


@functools.cache
def load_weights(file: Path, name: str) -> Matcher:
    """The matcher of a file: the encoder that the weights were trained on, changed by them."""
    header = header_of(file, MatcherHeader)
    return BiEncoder(name, changed_encoder(file, header), header.threshold, header.topical)


def weights_digests(file: Path, name: str) -> dict[str, str]:
    """The digests of the encoder and of the file, which goes by this name."""
    header = header_of(file, MatcherHeader)
    return {header.base: header.base_digest, name: models.find(file).digest}


def kind_of(name: str, file: Path) -> MatcherKind:
    """The kind of matcher whose weights are always this file."""
    return MatcherKind(name, lambda model: load_weights(file, name), lambda model: weights_digests(file, name))


MATCHER = MatcherKind(
    "weights",
    lambda file: load_weights(Path(file).expanduser(), file),
    lambda file: weights_digests(Path(file).expanduser(), file),
    needs_model=True,
)
