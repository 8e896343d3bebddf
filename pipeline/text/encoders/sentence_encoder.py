"""A cache on disk of texts' vectors, by the texts' digests: no text is embedded twice on a machine."""

import functools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pipeline.arrays import Vectors
from pipeline.errors import RostrumError
from pipeline.system.digest_cache import DigestCache

if TYPE_CHECKING:
    import torch


class VectorCache:
    """One encoder's vectors in a file that processes may share."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept = DigestCache(path, "vectors")

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those of the texts that are known."""
        return {text: np.frombuffer(vector, dtype="<f4") for text, vector in self._kept.get(texts).items()}

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors for the next time."""
        self._kept.put({text: np.asarray(vector, dtype="<f4").tobytes() for text, vector in vectors.items()})


# Sentence encoders: texts in, unit vectors out, each text embedded once per process.

DEFAULT_ENCODER = "all-MiniLM-L6-v2"

# Texts whose vectors are held in memory: 150 MB of 384 numbers each.
HELD = 100_000

_LOADING = threading.Lock()

# Reads low-rank changes, as `rostrum train` writes them.
Changes = Callable[[], Mapping[str, "torch.Tensor"]]


class Encoder(Protocol):
    """Turns texts into unit vectors, one row per text; equal texts get equal rows."""

    name: str
    digest: str

    def encode(self, texts: Sequence[str]) -> Vectors: ...


class SentenceEncoder:
    """An encoder that remembers: `embed` sees every text once.

    With `kept`, the vectors of earlier runs are remembered as well. At most `HELD` vectors, the last ones, are in
    memory.
    """

    def __init__(
        self,
        name: str,
        digest: str,
        embed: Callable[[list[str]], Vectors],
        kept: VectorCache | None = None,
    ) -> None:
        self.name = name
        self.digest = digest
        self._embed = embed
        self._kept = kept
        self._known: dict[str, Vectors] = {}
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return self.encode([""])[:0]
        with self._lock:
            self._learn([text for text in dict.fromkeys(texts) if text not in self._known])
            found = np.stack([self._known[text] for text in texts])
            self._forget()
        return found

    def _forget(self) -> None:
        """Drop the oldest entries until no more than `HELD` are left."""
        for text in list(islice(self._known, max(len(self._known) - HELD, 0))):
            del self._known[text]

    def _learn(self, texts: list[str]) -> None:
        if texts and self._kept:
            self._known.update(self._kept.get(texts))
            texts = [text for text in texts if text not in self._known]
        if texts:
            vectors = dict(zip(texts, self._embed(texts), strict=True))
            if self._kept:
                self._kept.put(vectors)
            self._known.update(vectors)


def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """A model by catalogue name, path, or hub name that is in the local cache; loaded once per process.

    A folder of the sentence-transformers layout, or one with an ONNX file and its tokenizer.
    """
    with _LOADING:
        return _loaded(name)


@functools.cache
def _loaded(name: str) -> Encoder:
    from pipeline import models

    found = models.find(name)
    return SentenceEncoder(name, found.digest, _embedding(found.path), _kept(found.digest))


def load_changed_encoder(name: str, digest: str, changes: Changes) -> Encoder:
    """A model with low-rank changes, which are read once it is loaded; `digest` is that of the changed model."""
    from pipeline import models

    return SentenceEncoder(name, digest, _embedding(models.find(name).path, changes), _kept(digest))


def is_onnx(folder: Path) -> bool:
    """Whether the model of a folder is an ONNX file."""
    return any(folder.glob("*.onnx"))


def _embedding(folder: Path, changes: Changes | None = None) -> Callable[[list[str]], Vectors]:
    """Embeds texts by the model of a folder. It is loaded at the first text: often every vector is cached already."""
    return _onnx(folder, changes) if is_onnx(folder) else _sentence_transformer(folder, changes)


def _kept(digest: str) -> VectorCache:
    from pipeline import models

    return VectorCache(models.cache_folder() / "vectors" / f"{digest[:16]}.sqlite")


def _onnx(folder: Path, changes: Changes | None) -> Callable[[list[str]], Vectors]:
    from pipeline.text.encoders.onnx_encoder import OnnxEncoder, onnx_file

    onnx_file(folder)  # says at once what the folder lacks

    @functools.cache
    def model() -> OnnxEncoder:
        return OnnxEncoder(folder, changes() if changes else None)

    return lambda texts: model().encode(texts)


def _refuse_other_code(folder: Path) -> None:
    """Raise an error if a model's folder names classes of other packages: they would be imported and called."""
    path = folder / "modules.json"
    try:
        kinds = [str(module["type"]) for module in json.loads(path.read_text("utf-8"))] if path.is_file() else []
    except (ValueError, TypeError, KeyError) as error:
        raise RostrumError(f"{path}: not the modules of a sentence-transformers model") from error
    for kind in kinds:
        if not kind.startswith("sentence_transformers."):
            raise RostrumError(
                f"{path}: {kind} is not a part of sentence-transformers, and is not run; give another model"
            )


def _sentence_transformer(folder: Path, changes: Changes | None) -> Callable[[list[str]], Vectors]:
    @functools.cache
    def model() -> Any:
        from pipeline.system.environment import import_torchaudio

        _refuse_other_code(folder)
        import_torchaudio()
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # for weights that load in a tenth of a second
        loaded = SentenceTransformer(str(folder), device="cpu")
        if changes:
            from pipeline.text.encoders.low_rank import merge

            merge(loaded, changes())
        return loaded

    return lambda texts: embed(model(), texts)


def embed(model: Any, texts: list[str]) -> Vectors:
    """Unit vectors of texts by a loaded sentence-transformers model."""
    vectors = model.encode(
        texts, batch_size=64, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
    )
    return np.asarray(vectors, dtype=np.float32)
