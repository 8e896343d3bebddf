"""A cache on disk of texts' vectors, by the texts' digests: no text is embedded twice on a machine."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pipeline.arrays import Vectors
from pipeline.system.digest_cache import DigestCache


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
