"""Arguments as rows of numbers: what is seen on their surface, how close they are to their topic, and what they say.

An encoder's vector of a text tells mostly its topic. Two arguments that are compared share their topic, so that each
vector is taken relative to the mean of its topic's arguments. Without this, a model learns topics, and is poor on
others.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Integers, Matrix
from pipeline.convincing.surface import FEATURES, SurfaceFeature, surface
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.terms import tokens

ENCODER = "bge-small-en-v1.5-int8"
CENTRALITY = "centrality"
CENTRALITY_PHRASE = "closer to what the others on this topic are about"
CONTENT = "content"
CONTENT_PHRASE = "what it says and how it is worded"
_FURTHEST = 4.0
_LINK = re.compile(r"https?://\S+|www\.\S+")


@dataclass(frozen=True)
class View:
    """The features that a model uses.

    `spoken` texts have no punctuation, capitals or links, and so none of the features of writing.
    """

    name: str
    spoken: bool = False
    length: bool = True

    @property
    def features(self) -> tuple[SurfaceFeature, ...]:
        return tuple(f for f in FEATURES if not (self.spoken and f.written) and (self.length or not f.length))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns before the encoder's."""
        return (*(feature.name for feature in self.features), CENTRALITY)


WRITTEN = View("written")
SPOKEN = View("spoken", spoken=True)
SPOKEN_WITHOUT_LENGTH = View("spoken, without length", spoken=True, length=False)
VIEWS = {view.name: view for view in (WRITTEN, SPOKEN, SPOKEN_WITHOUT_LENGTH)}


def described(texts: Sequence[str], topic_of: Integers, view: View, encoder: Encoder) -> Matrix:
    """One row per text: the view's columns as they are, then the encoder's relative to the topic."""
    seen = [as_spoken(text) for text in texts] if view.spoken else list(texts)
    vectors = encoder.encode(seen).astype(np.float64)
    centred, centrality = relative_to_topic(vectors, topic_of)
    return np.hstack([surface(seen, view.features), centrality[:, None], centred])


def as_spoken(text: str) -> str:
    """The words alone, as a recogniser would write them."""
    return " ".join(tokens(_LINK.sub(" ", text)))


def relative_to_topic(vectors: Matrix, topic_of: Integers) -> tuple[Matrix, Matrix]:
    """(vectors less their topic's mean, cosine to that mean as compared to the topic's other texts)."""
    centred, centrality = np.zeros_like(vectors), np.zeros(len(vectors))
    for topic in np.unique(topic_of):
        members = topic_of == topic
        mean = vectors[members].mean(axis=0)
        centred[members] = vectors[members] - mean
        cosine = vectors[members] @ mean
        spread = cosine.std()
        centrality[members] = (cosine - cosine.mean()) / spread if spread > 1e-6 else 0.0
    return centred, centrality


@dataclass(frozen=True)
class Scale:
    """Standardises the view's columns as they were in training, and leaves the encoder's as they are."""

    mean: Matrix
    spread: Matrix

    @classmethod
    def of(cls, rows: Matrix, n_columns: int) -> "Scale":
        spread = rows[:, :n_columns].std(axis=0)
        return cls(rows[:, :n_columns].mean(axis=0), np.where(spread > 0, spread, 1.0))

    def __call__(self, rows: Matrix) -> Matrix:
        """A value further out than four spreads counts as four: no text may be unlike all others by one feature."""
        n_columns = len(self.mean)
        standard = np.clip((rows[:, :n_columns] - self.mean) / self.spread, -_FURTHEST, _FURTHEST)
        return np.hstack([standard, rows[:, n_columns:]])
