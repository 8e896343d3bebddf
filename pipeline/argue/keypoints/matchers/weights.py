"""weights: a sentence encoder fine-tuned for matching, from a file of trained weights."""

import functools
import hashlib
from pathlib import Path
from typing import Any

from pipeline.argue.keypoints.matcher import Matcher, MatcherKind
from pipeline.argue.keypoints.matchers.encoder import BiEncoder
from pipeline.argue.keypoints.weights import header_of, load
from pipeline.errors import RostrumError
from pipeline.text.encoders.sentence_encoder import load_changed_encoder


@functools.cache
def load_weights(file: Path, name: str) -> Matcher:
    """The matcher of a file: the encoder that the weights were trained on, changed by them."""
    from pipeline import models

    header = header_of(file)
    if models.find(header.base).digest != header.base_digest:
        raise RostrumError(f"{file}: trained on another {header.base} than the one on this machine; train anew")

    def change(encoder: Any) -> None:
        from pipeline.argue.keypoints.low_rank import merge

        merge(encoder, load(file))

    digest = hashlib.sha256(f"{header.base_digest} {models.find(file).digest}".encode()).hexdigest()
    return BiEncoder(name, load_changed_encoder(header.base, digest, change), header.threshold)


def weights_digests(file: Path, name: str) -> dict[str, str]:
    """The digests of the encoder and of the file, which goes by this name."""
    from pipeline import models

    header = header_of(file)
    return {header.base: header.base_digest, name: models.find(file).digest}


MATCHER = MatcherKind(
    "weights",
    lambda file: load_weights(Path(file).expanduser(), file),
    lambda file: weights_digests(Path(file).expanduser(), file),
    needs_model=True,
)
