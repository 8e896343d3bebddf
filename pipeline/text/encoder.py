"""Sentence encoders: texts in, unit vectors out, each text embedded once per process."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

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
    """An encoder that remembers: `embed` sees every text once, asking again costs a look-up."""

    def __init__(self, name: str, digest: str, dimensions: int, embed: Callable[[list[str]], Vectors]) -> None:
        self.name = name
        self.digest = digest
        self.dimensions = dimensions
        self._embed = embed
        self._known: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])


@functools.cache
def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """A model by catalogue name, path, or hub name that is in the local cache; loaded once per process.

    A folder of the sentence-transformers layout, or one with an ONNX file and its tokenizer.
    """
    from pipeline import models

    found = models.find(name)
    if any(found.path.glob("*.onnx")):
        from pipeline.text.onnx_encoder import OnnxEncoder

        onnx = OnnxEncoder(found.path)
        return SentenceEncoder(name, found.digest, onnx.dimensions, onnx.encode)
    return _sentence_transformer(name, found.digest, found.path)


def _sentence_transformer(name: str, digest: str, path: Path) -> Encoder:
    from pipeline.audio.torchaudio import import_torchaudio

    import_torchaudio()
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # for weights that load in a tenth of a second
    model = SentenceTransformer(str(path), device="cpu")

    def embed(texts: list[str]) -> Vectors:
        vectors = model.encode(
            texts, batch_size=64, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    return SentenceEncoder(name, digest, int(embed([""]).shape[1]), embed)
