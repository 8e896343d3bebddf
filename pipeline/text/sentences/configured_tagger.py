"""The boundary tagger that a user has: by path, or the one they trained into the model cache."""

import functools
from pathlib import Path

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.text.encoders.contextual_words import load_contextual
from pipeline.text.sentences.boundary_tagger import FILE, BoundaryTagger


def tagger_path(given: str | None) -> Path:
    """The tagger's file: the given path, else the one in the model cache."""
    return Path(given).expanduser() if given else models.cache_folder() / FILE


def tagger_digest(given: str | None) -> str | None:
    """The digest of the tagger; None where none was given and none is in the model cache."""
    path = tagger_path(given)
    if not path.exists() and not given:
        return None
    return models.find(path).digest


def load_tagger(given: str | None) -> BoundaryTagger:
    """The tagger. The encoder that it was trained with must be on this machine."""
    path = tagger_path(given)
    return _loaded(path, models.find(path).digest if path.exists() else "")


@functools.lru_cache(maxsize=2)
def _loaded(path: Path, digest: str) -> BoundaryTagger:
    tagger = BoundaryTagger.load(path)
    if load_contextual(tagger.encoder, tagger.encoder_layers).digest != tagger.encoder_digest:
        raise RostrumError(
            f"{path}: trained with other weights of {tagger.encoder} than those here; run: rostrum train segmenter"
        )
    return tagger
