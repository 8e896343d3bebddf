"""A text as the tf-idf weighted mean of its words' vectors: the 'w2v' method of Mirkin et al. 2018."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from pipeline.arrays import Vectors
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.encoders.word_vectors import WordVectors
from pipeline.text.terms import stop_words, tokens


def inverse_document_frequencies(documents: Iterable[str]) -> dict[str, float]:
    """log(documents / documents with the word) of every word."""
    types = [dict.fromkeys(tokens(document)) for document in documents]
    counts = Counter(word for words in types for word in words)
    return {word: math.log(len(types) / count) for word, count in counts.items()}


class WordMeanEncoder:
    """Unit vectors of texts from word vectors, stop words left out; a text without a known word is all zeros.

    A word that `idf` does not know counts as the average word: what is not in the training speeches is not rare.
    """

    def __init__(self, vectors: WordVectors, idf: Mapping[str, float]) -> None:
        self.name = f"w2v {vectors.name}"
        weights = ",".join(f"{word}={weight:.6f}" for word, weight in sorted(idf.items()))
        self.digest = hashlib.sha256(f"{vectors.digest} {weights}".encode()).hexdigest()
        self.dimensions = vectors.dimensions
        self._vectors = vectors
        self._idf = idf
        self._average = sum(idf.values()) / len(idf) if idf else 1.0

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one row per text."""
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)

    def _vector(self, text: str) -> Vectors:
        words, matrix = self._vectors.matrix(word for word in tokens(text) if word not in stop_words())
        weights = np.array([self._idf.get(word, self._average) for word in words], dtype=np.float32)
        mean = weights @ matrix
        length = float(np.linalg.norm(mean))
        return mean / length if length else np.zeros(self.dimensions, np.float32)


def as_one_text(encoder: Encoder, sentences: Sequence[str]) -> Vectors:
    """Several sentences as one unit vector: the mean of all their words."""
    return encoder.encode([" ".join(sentences)]).ravel()
