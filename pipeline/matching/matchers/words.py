"""Matchers by the words that an argument and a key point share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix
from pipeline.matching.matcher import MatcherKind, no_models
from pipeline.text.terms import stems

MEMBERS = {
    "token overlap": "token overlap: the share of a key point's stems that an argument has.",
    "tf-idf": "tf-idf: the cosine of stems, weighted by how few of the given texts have them.",
}


@dataclass(frozen=True)
class TokenOverlap:
    """Shared stems over the key point's stems, stop words left out."""

    name: str = "token overlap"
    digest: str = ""
    threshold: float = 0.5

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        said = [frozenset(stems(text, without_stop_words=True)) for text in arguments]
        points = [frozenset(stems(text, without_stop_words=True)) for text in key_points]
        rows = [[len(one & other) / max(len(other), 1) for other in points] for one in said]
        return np.array(rows, dtype=np.float64).reshape(len(said), len(points))


@dataclass(frozen=True)
class TfIdf:
    """Cosine of tf-idf vectors of stems."""

    name: str = "tf-idf"
    digest: str = ""
    threshold: float = 0.2

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [*arguments, *key_points]
        if not any(stems(text, without_stop_words=True) for text in texts):
            return np.zeros((len(arguments), len(key_points)))
        vectorizer = TfidfVectorizer(analyzer=lambda text: stems(text, without_stop_words=True), sublinear_tf=True)
        vectors = vectorizer.fit_transform(texts)
        similar = vectors[: len(arguments)] @ vectors[len(arguments) :].T
        return np.asarray(similar.toarray(), dtype=np.float64)


MATCHERS = (
    MatcherKind("token overlap", lambda model: TokenOverlap(), no_models, order=10),
    MatcherKind("tf-idf", lambda model: TfIdf(), no_models, order=20),
)
