"""Sentence encoders: texts in, unit vectors out, each text embedded once per process."""

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
DEFAULT_ENCODER = "all-MiniLM-L6-v2"


class Encoder(Protocol):
    """Turns texts into unit vectors, a row a text; equal texts get equal rows."""

    name: str
    digest: str

    def encode(self, texts: Sequence[str]) -> Vectors: ...


class SentenceEncoder:
    """A sentence-transformers model. Every text is embedded once; asking again costs a look-up."""

    def __init__(self, name: str, digest: str, model: Any) -> None:
        self.name = name
        self.digest = digest
        self._model = model
        self._known: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            vectors = self._model.encode(
                new, batch_size=64, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
            self._known.update(zip(new, np.asarray(vectors, dtype=np.float32), strict=True))
        if not texts:
            return np.zeros((0, int(self._model.get_sentence_embedding_dimension())), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])


@functools.cache
def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """A model by catalogue name, path, or hub name that is in the local cache; loaded once per process."""
    from pipeline import models
    from pipeline.audio.torchaudio import import_torchaudio

    found = models.find(name)
    import_torchaudio()
    from sentence_transformers import SentenceTransformer

    return SentenceEncoder(name, found.digest, SentenceTransformer(str(found.path), device="cpu"))
