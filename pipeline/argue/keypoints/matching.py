"""How well an argument makes a key point: the methods, from shared words to a fine-tuned encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.terms import stems

Scores = NDArray[np.float64]
_NEARNESS_SHARE = 0.6


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


def standing_out(scores: Scores) -> Scores:
    """Scores less a share of how much more a key point (column) scores with everything than the others do.

    Some sentences are near to all that is said on a topic, and in a speech hardly a sentence makes a given key point.
    """
    if not scores.size:
        return scores
    nearness = scores.mean(axis=0)
    return np.asarray(np.minimum(scores - _NEARNESS_SHARE * (nearness - nearness.mean()), 1.0), dtype=np.float64)


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
class AgainstRivals:
    """Another matcher's scores less a share of the argument's best score with any other key point.

    An argument that fits one key point alone is the surest match; one that fits all of them a little speaks of the
    topic. The best key point of every argument stays the same. For a small set of key points that differ.
    """

    matcher: Matcher
    name: str
    share: float = 0.6
    threshold: float = 0.0

    @property
    def digest(self) -> str:
        return self.matcher.digest

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        found = self.matcher.scores(topic, arguments, key_points)
        if found.shape[1] < 2:
            return found
        ranked = np.sort(found, axis=1)
        is_best = found == ranked[:, -1:]
        return found - self.share * np.where(is_best, ranked[:, -2:-1], ranked[:, -1:])


@dataclass(frozen=True)
class Ensemble:
    """The mean of the scores of several matchers."""

    members: tuple[Matcher, ...]
    name: str
    threshold: float

    @property
    def digest(self) -> str:
        return "+".join(member.digest for member in self.members if member.digest)

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Scores:
        found = [member.scores(topic, arguments, key_points) for member in self.members]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)
