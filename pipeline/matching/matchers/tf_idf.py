"""tf-idf: the cosine of stems, weighted by how few of the given texts have them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix
from pipeline.matching.matcher import MatcherKind, no_models
from pipeline.text.terms import stems


@dataclass(frozen=True)
class TfIdf:
    """Cosine of tf-idf vectors of stems; a word counts for less the more of the given texts have it."""

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


MATCHER = MatcherKind("tf-idf", lambda model: TfIdf(), no_models, place=20)
