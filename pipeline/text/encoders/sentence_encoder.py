"""Sentence encoders: texts in, unit vectors out. No text is embedded twice on a machine: vectors are cached on disk."""

import functools
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.system.digest_cache import DigestCache
from pipeline.text.encoders.bert_graph import is_bert

DEFAULT_ENCODER = "all-MiniLM-L6-v2"

# Texts whose vectors are held in memory: 150 MB of 384 numbers each.
HELD = 100_000

_LOADING = threading.Lock()

# Reads low-rank changes, as `rostrum train` writes them.
Changes = Callable[[], Mapping[str, Floats32]]


class Encoder(Protocol):
    """Turns texts into unit vectors, one row per text; equal texts get equal rows."""

    name: str
    digest: str

    def encode(self, texts: Sequence[str]) -> Floats32: ...


class SentenceEncoder:
    """An encoder with a cache: `embed` is called once for each text.

    The vectors of earlier runs are remembered in the file `cache`, which processes may share, by the texts' digests. At
    most `HELD` vectors, the last ones, are in memory.
    """

    def __init__(
        self, name: str, digest: str, embed: Callable[[list[str]], Floats32], cache: Path | None = None
    ) -> None:
        self.name = name
        self.digest = digest
        self._embed = embed
        self._cache = DigestCache(cache, "vectors") if cache else None
        self._known: dict[str, Floats32] = {}
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Floats32:
        if not texts:
            return self.encode([""])[:0]
        with self._lock:
            self._learn([text for text in dict.fromkeys(texts) if text not in self._known])
            vectors = np.stack([self._known[text] for text in texts])
            for text in list(islice(self._known, max(len(self._known) - HELD, 0))):  # the oldest
                del self._known[text]
        return vectors

    def _learn(self, texts: list[str]) -> None:
        if texts and self._cache:
            stored = self._cache.get(texts)
            self._known.update({text: np.frombuffer(vector, dtype="<f4") for text, vector in stored.items()})
            texts = [text for text in texts if text not in stored]
        if texts:
            vectors = dict(zip(texts, self._embed(texts), strict=True))
            if self._cache:
                self._cache.put({text: np.asarray(row, dtype="<f4").tobytes() for text, row in vectors.items()})
            self._known.update(vectors)


def load_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """A model by catalogue name, path, or hub name that is in the local cache; loaded once per process.

    A folder of the sentence-transformers layout, or one with an ONNX file and its tokenizer. onnxruntime runs the
    latter, and every BERT: on one thread it is faster than torch, whose libraries take three seconds to load.
    """
    with _LOADING:
        return _load_once(name)


@functools.cache
def _load_once(name: str) -> Encoder:
    from pipeline import models

    return load_changed_encoder(name, models.find(name).digest)


def load_changed_encoder(name: str, digest: str, changes: Changes | None = None) -> Encoder:
    """A model with low-rank changes, which are read once it is loaded; `digest` is that of the changed model."""
    from pipeline import models

    folder = models.find(name).path
    # loaded at the first text: often every vector is cached already
    by_onnx = is_onnx(folder) or is_bert(folder)
    embed = _onnx(folder, changes) if by_onnx else _sentence_transformer(folder, changes)
    return SentenceEncoder(name, digest, embed, models.cache_folder() / "vectors" / f"{digest[:16]}.sqlite")


def is_onnx(folder: Path) -> bool:
    """Whether the model of a folder is an ONNX file."""
    return any(folder.glob("*.onnx"))


def _onnx(folder: Path, changes: Changes | None) -> Callable[[list[str]], Floats32]:
    from pipeline.text.encoders.onnx_encoder import OnnxEncoder, onnx_file

    if is_onnx(folder):
        onnx_file(folder)  # says at once what the folder lacks

    @functools.cache
    def model() -> OnnxEncoder:
        with _reading(folder):
            return OnnxEncoder(folder, changes() if changes else None)

    return lambda texts: model().encode(texts)


def refuse_other_code(folder: Path) -> None:
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


@contextmanager
def _reading(model: Path) -> Iterator[None]:
    """Turn what a library raises about damaged weights into an error that names the model."""
    try:
        yield
    except (RostrumError, MemoryError):
        raise
    except Exception as error:  # a damaged file can raise errors of many kinds
        raise RostrumError(
            f"{model}: cannot be read as a sentence encoder; is it complete, and of the right kind?"
        ) from error


def load_sentence_transformer(folder: Path) -> Any:
    """A model of the sentence-transformers layout. No code in its folder is run."""
    from pipeline.system.environment import import_torchaudio

    refuse_other_code(folder)
    import_torchaudio()
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # for weights that load in a tenth of a second
    with _reading(folder):
        return SentenceTransformer(str(folder), device="cpu", trust_remote_code=False)


def _sentence_transformer(folder: Path, changes: Changes | None) -> Callable[[list[str]], Floats32]:
    @functools.cache
    def model() -> Any:
        loaded = load_sentence_transformer(folder)
        if changes:
            from pipeline.text.encoders.low_rank import merge

            merge(loaded, changes())
        return loaded

    return lambda texts: embed(model(), texts)


def embed(model: Any, texts: list[str]) -> Floats32:
    """Unit vectors of texts by a loaded sentence-transformers model."""
    vectors = model.encode(
        texts, batch_size=64, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
    )
    return np.asarray(vectors, dtype=np.float32)
