"""Matchers of arguments with key points: what a matcher is, every kind by name, and how one is loaded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np

from pipeline import models
from pipeline.arrays import Floats32, Matrix, Vector
from pipeline.errors import RostrumError
from pipeline.family import Family
from pipeline.llm.large_model import LargeModel

FOLDER = Family("pipeline.matching.matchers", "key point matcher")

_NEARNESS_SHARE = 0.6
# The median number of words in the arguments of ArgKP, on which thresholds are chosen.
_USUAL_WORDS = 18
_PER_LOG_WORDS = 0.08
# The share of a sentence's mean score that is subtracted in a speech, and what every score loses there besides.
_VAGUENESS_SHARE = 0.4
_SPOKEN = 0.05


class Matcher(Protocol):
    """Scores every argument with every key point of one topic: one row per argument, one column per key point.

    From `threshold` on, a score is a match. `digest` is that of the model, if there is one.
    """

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def threshold(self) -> float: ...

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix: ...


@dataclass(frozen=True)
class MatcherKind:
    """A kind of matcher as its module lists it in `MATCHERS`.

    A setting names it by `name`; where it `needs_model`, by `name:` and a model's name or path. Both functions are
    given that model, or an empty text: `load` makes the matcher, and `digests` names the models that it would use,
    without loading them. One that `asks` is given the large language model of the settings instead, and names none.
    With an `order`, the published evaluation always shows it, sorted by this number.
    """

    name: str
    load: Callable[[Any], Matcher]
    digests: Callable[[str], dict[str, str]]
    needs_model: bool = False
    asks: bool = False
    order: int | None = None


def kinds() -> dict[str, MatcherKind]:
    """Every kind of matcher, by name."""
    return {kind.name: kind for module in FOLDER.all() for kind in module.MATCHERS}


def always_shown() -> list[str]:
    """The kinds that the published evaluation always shows, in its order."""
    numbered = [(kind.order, kind.name) for kind in kinds().values() if kind.order is not None]
    return [name for _, name in sorted(numbered)]


def load_matcher(name: str, asked: LargeModel | None = None) -> Matcher:
    """The matcher that a setting names: a kind, a kind and a model, a file of trained weights, or just an encoder.

    `asked` is the large language model, for a kind that asks one.
    """
    kind, model = _parsed(name)
    if kind.asks and asked is None:
        raise RostrumError(f"the key point matcher {name} asks a large language model: set llm.url and llm.model")
    return kind.load(asked if kind.asks else model)


def matcher_digests(name: str) -> dict[str, str]:
    """The names and digests of the models that a matcher uses. None of them is loaded."""
    kind, model = _parsed(name)
    return kind.digests(model)


def _parsed(name: str) -> tuple[MatcherKind, str]:
    known = kinds()
    head, colon, model = name.partition(":")
    if name in known and not known[name].needs_model:
        return known[name], ""
    if colon and head in known and known[head].needs_model:
        return known[head], model
    if name.endswith(".safetensors"):
        return known["weights"], name
    if near := get_close_matches(name, known, n=1, cutoff=0.8):
        raise RostrumError(f"there is no key point matcher {name!r}; did you mean {near[0]}?")
    return known["encoder"], name


def on_topic(topic: str, texts: Sequence[str]) -> list[str]:
    """Texts with their topic before them, as the encoders are trained to see them.

    >>> on_topic("We should ban phones.", ["Phones distract"])
    ['We should ban phones. Phones distract']
    """
    return [f"{topic.strip().rstrip('.')}. {text}" for text in texts]


def standing_out(scores: Matrix | Floats32) -> Matrix:
    """The scores, lowered for a key point (column) that scores higher with every sentence than the others do.

    Some sentences are similar to everything on a topic. In a speech, hardly any sentence makes a given key point.
    """
    if not scores.size:
        return np.asarray(scores, dtype=np.float64)
    nearness = scores.mean(axis=0)
    return np.asarray(np.minimum(scores - _NEARNESS_SHARE * (nearness - nearness.mean()), 1.0), dtype=np.float64)


def in_speech(scores: Matrix | Floats32, sentences: Sequence[str]) -> Matrix:
    """The scores of sentences of a speech (rows), adjusted.

    A key point has to stand out among all key points, and a score among its sentence's scores. A long sentence needs a
    lower score.
    """
    return np.asarray(particular(standing_out(scores)) + for_length(sentences)[:, None] - _SPOKEN, dtype=np.float64)


def particular(scores: Matrix | Floats32) -> Matrix:
    """The scores above a share of the sentence's (row's) mean score, stretched.

    A sentence that is equally near to all key points keeps its scores. A key point that stands out in it scores more.
    """
    if not scores.size:
        return np.asarray(scores, dtype=np.float64)
    mean = scores.mean(axis=1, keepdims=True)
    return np.asarray((scores - _VAGUENESS_SHARE * mean) / (1 - _VAGUENESS_SHARE), dtype=np.float64)


def for_length(sentences: Sequence[str]) -> Vector:
    """The score that is added for each sentence's length.

    A long sentence says several things, and each of them turns its vector away from the others.
    """
    words = np.array([max(len(sentence.split()), 1) for sentence in sentences], dtype=np.float64)
    return np.asarray(_PER_LOG_WORDS * np.log(words / _USUAL_WORDS))


def model_digest(model: str) -> dict[str, str]:
    """A model's name and digest."""
    return {model: models.find(model).digest}


def no_models(model: str) -> dict[str, str]:
    """Nothing: the digests of a matcher that uses no model."""
    return {}
