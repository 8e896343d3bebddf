"""How well an argument makes a key point: the methods, from shared words to a fine-tuned encoder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.text.encoder import Encoder
from pipeline.text.terms import stems

Scores = NDArray[np.float64]


class Matcher(Protocol):
    """Scores every argument with every key point of one topic: a row an argument, a column a key point.

    `threshold` is the score from which on an argument makes a key point; `digest` is that of the weights, if any.
    """

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def threshold(self) -> float: ...

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores: ...


def on_topic(topic: str, texts: Sequence[str]) -> list[str]:
    """Texts with their topic before them, as the encoders are trained to see them."""
    return [f"{topic.strip().rstrip('.')}. {text}" for text in texts]


@dataclass(frozen=True)
class TokenOverlap:
    """Shared stems over the key point's stems, stop words and the topic's own words left out."""

    name: str = "token overlap"
    digest: str = ""
    threshold: float = 0.5

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        said = [frozenset(stems(text, without_stop_words=True)) for text in arguments]
        points = [frozenset(stems(text, without_stop_words=True)) for text in key_points]
        rows = [[len(one & other) / max(len(other), 1) for other in points] for one in said]
        return np.array(rows, dtype=np.float64).reshape(len(said), len(points))


@dataclass(frozen=True)
class TfIdf:
    """Cosine of tf-idf vectors of stems; a word counts for less the more of the given texts have it."""

    name: str = "tf-idf"
    digest: str = ""
    threshold: float = 0.2

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [*arguments, *key_points]
        if not any(stems(text, without_stop_words=True) for text in texts):
            return np.zeros((len(arguments), len(key_points)))
        vectorizer = TfidfVectorizer(analyzer=lambda text: stems(text, without_stop_words=True), sublinear_tf=True)
        vectors = vectorizer.fit_transform(texts)
        similar = vectors[: len(arguments)] @ vectors[len(arguments) :].T
        return np.asarray(similar.toarray(), dtype=np.float64)


@dataclass(frozen=True)
class BiEncoder:
    """Cosine of sentence vectors."""

    name: str
    encoder: Encoder
    threshold: float
    topical: bool = True

    @property
    def digest(self) -> str:
        return self.encoder.digest

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        if self.topical:
            arguments, key_points = on_topic(topic, arguments), on_topic(topic, key_points)
        return np.asarray(self.encoder.encode(arguments) @ self.encoder.encode(key_points).T, dtype=np.float64)


@dataclass(frozen=True)
class CrossEncoder:
    """A sentence-transformers cross-encoder, which reads both texts at once: slow, the model runs for every pair."""

    name: str
    digest: str
    model: object
    threshold: float = 0.5

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        pairs = [(argument, key_point) for argument in arguments for key_point in on_topic(topic, key_points)]
        found = self.model.predict(pairs, show_progress_bar=False)  # type: ignore[attr-defined]
        return np.asarray(found, dtype=np.float64).reshape(len(arguments), len(key_points))


@dataclass(frozen=True)
class Ensemble:
    """The mean of several matchers, each one's scores counted from its own threshold in its own standard deviations."""

    members: Mapping[str, Matcher]
    name: str = "ensemble"
    threshold: float = 0.0

    @property
    def digest(self) -> str:
        return "+".join(member.digest for member in self.members.values() if member.digest)

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        found = [(member.scores(topic, arguments, key_points), member.threshold) for member in self.members.values()]
        counted = [(scores - threshold) / (scores.std() or 1.0) for scores, threshold in found]
        return np.asarray(np.mean(counted, axis=0), dtype=np.float64)
