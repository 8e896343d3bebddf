"""Arguments as rows of numbers: features of their surface, how close they are to their topic, and what they say.

Each surface feature says what it is for, whether it is about length, and whether it needs writing: a transcript of
speech has no capitals, links or paragraphs of the speaker's own.

An encoder's vector of a text tells mostly its topic. Two arguments that are compared share their topic, so that each
vector is taken relative to the mean of its topic's arguments. Without this, a model learns topics, and is poor on
others.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pipeline.arrays import Integers, Matrix
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.readability import TextCounts, count, flesch
from pipeline.text.terms import stop_words, tokens

ENCODER = "bge-small-en-v1.5-int8"
CENTRALITY = "centrality"
CENTRALITY_PHRASE = "closer to what the others on this topic are about"
CONTENT_PHRASE = "what it says and how it is worded"
# A standardised value further out than this counts as this.
_FURTHEST = 4.0

_REASONS = "because since therefore thus hence so reason reasons why cause causes caused due proves prove evidence fact"
_CONTRASTS = "but however although though despite yet whereas while instead rather unless except"
_EXAMPLES = "example examples instance such like including e.g study studies research according statistics percent"
_HEDGES = "maybe perhaps think guess probably might may seems seem believe opinion feel somewhat possibly suppose"
_BOOSTERS = "very really totally absolutely definitely always never every all completely must obviously clearly"
_MODALS = "can could may might must shall should will would ought"
_NEGATIONS = "not no never nothing none nobody neither nor cannot"
_FIRST_PERSON = "i me my mine myself i'm i've i'd i'll im we us our ours"
_SECOND_PERSON = "you your yours yourself you're you've u ur"
_LINK = re.compile(r"https?://\S+|www\.\S+")
_SLOPPY = re.compile(r"[.,!?](?=[A-Za-z])|\s[.,!?]|(?<![\w'])i(?![\w'.])|\b(?:u|ur|cuz|dont|cant|wont|im|ive|thats)\b")


@dataclass(frozen=True)
class Text:
    """A text with what the features share."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        return tokens(_LINK.sub(" ", self.text))

    @cached_property
    def counts(self) -> TextCounts:
        return count(self.text)

    def words_among(self, vocabulary: frozenset[str]) -> float:
        """The share of words that are of this vocabulary."""
        return sum(word in vocabulary for word in self.words) / max(len(self.words), 1)

    def characters(self, pattern: str) -> float:
        """Matches of this pattern per character."""
        return len(re.findall(pattern, self.text)) / max(len(self.text), 1)


@dataclass(frozen=True)
class SurfaceFeature:
    """A number that a text has, and what it is for. `phrase` tells a person what it is to have more of it."""

    name: str
    phrase: str
    purpose: str
    value: Callable[[Text], float]
    length: bool = False
    written: bool = False


def _vocabulary(words: str) -> Callable[[Text], float]:
    vocabulary = frozenset(words.split())
    return lambda text: text.words_among(vocabulary)


def _pattern(pattern: str) -> Callable[[Text], float]:
    return lambda text: text.characters(pattern)


def _mean_word_length(text: Text) -> float:
    return float(np.mean([len(word) for word in text.words])) if text.words else 0.0


def _variety(text: Text) -> float:
    """Guiraud's index: different words over the root of all words."""
    return len(set(text.words)) / math.sqrt(max(len(text.words), 1))


FEATURES: tuple[SurfaceFeature, ...] = (
    SurfaceFeature(
        "characters", "longer text", "length, the strongest cue of all", lambda t: math.log1p(len(t.text)), True
    ),
    SurfaceFeature("words", "more words", "length, apart from long words", lambda t: math.log1p(len(t.words)), True),
    SurfaceFeature("sentences", "more sentences", "points made", lambda t: math.log(t.counts.sentences), True),
    SurfaceFeature(
        "words_per_sentence",
        "longer sentences",
        "elaborated or breathless sentences",
        lambda t: math.log1p(t.counts.words / t.counts.sentences),
        written=True,
    ),
    SurfaceFeature("word_length", "longer words", "register and precision", _mean_word_length),
    SurfaceFeature(
        "long_words",
        "more words of over six letters",
        "register",
        lambda t: t.counts.long_words / max(t.counts.words, 1),
    ),
    SurfaceFeature(
        "longest_word",
        "longest word is longer",
        "one technical term, or none",
        lambda t: math.log1p(max(map(len, t.words), default=0)),
    ),
    SurfaceFeature("variety", "a richer vocabulary", "repetition against development", _variety, True),
    SurfaceFeature(
        "reading_ease",
        "easier reading",
        "Flesch reading ease",
        lambda t: max(flesch(t.counts), -100.0) if t.counts.words else 0.0,
        written=True,
    ),
    SurfaceFeature("stop_words", "more function words", "content per word", lambda t: t.words_among(stop_words())),
    SurfaceFeature("reasons", "more words of reasoning", "claims that are given reasons", _vocabulary(_REASONS)),
    SurfaceFeature("contrasts", "more words of contrast", "other views weighed", _vocabulary(_CONTRASTS)),
    SurfaceFeature("examples", "more words of example and evidence", "claims that are backed", _vocabulary(_EXAMPLES)),
    SurfaceFeature("hedges", "more hedging", "opinion rather than argument", _vocabulary(_HEDGES)),
    SurfaceFeature("boosters", "more sweeping words", "overstatement", _vocabulary(_BOOSTERS)),
    SurfaceFeature("modals", "more modal verbs", "policy, obligation, possibility", _vocabulary(_MODALS)),
    SurfaceFeature("negations", "more negation", "denial rather than a case of one's own", _vocabulary(_NEGATIONS)),
    SurfaceFeature("first_person", "more first person", "personal testimony", _vocabulary(_FIRST_PERSON)),
    SurfaceFeature("second_person", "more second person", "talking at the other side", _vocabulary(_SECOND_PERSON)),
    SurfaceFeature("numbers", "more figures", "facts and dates", _pattern(r"\d"), written=True),
    SurfaceFeature("exclamations", "more exclamation marks", "shouting", _pattern("!"), written=True),
    SurfaceFeature("questions", "more question marks", "rhetorical questions", _pattern(r"\?"), written=True),
    SurfaceFeature("commas", "more commas", "sentence structure", _pattern(","), written=True),
    SurfaceFeature("quotations", "more quotation marks", "quoting, or scare quotes", _pattern('["“”]'), written=True),
    SurfaceFeature("capitals", "more capitals", "names, or shouting", _pattern("[A-Z]"), written=True),
    SurfaceFeature("shouted", "more words in capitals", "shouting", _pattern(r"\b[A-Z]{3,}\b"), written=True),
    SurfaceFeature(
        "paragraphs", "more paragraphs", "structure", lambda t: math.log1p(t.text.count("\n")), written=True
    ),
    SurfaceFeature("links", "more links", "sources", lambda t: math.log1p(len(_LINK.findall(t.text))), written=True),
    SurfaceFeature(
        "opens_capital",
        "a capital at its start",
        "care in writing",
        lambda t: float(t.text.lstrip()[:1].isupper()),
        written=True,
    ),
    SurfaceFeature(
        "sloppy", "more slips of typing", "care in writing", lambda t: t.characters(_SLOPPY.pattern), written=True
    ),
)


def surface(texts: Sequence[str], features: Sequence[SurfaceFeature] = FEATURES) -> Matrix:
    """One row per text, one column per feature."""
    rows = [[feature.value(text) for feature in features] for text in map(Text, texts)]
    return np.array(rows, dtype=np.float64).reshape(len(texts), len(features))


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
    def fitted(cls, rows: Matrix, n_columns: int) -> "Scale":
        spread = rows[:, :n_columns].std(axis=0)
        return cls(rows[:, :n_columns].mean(axis=0), np.where(spread > 0, spread, 1.0))

    def __call__(self, rows: Matrix) -> Matrix:
        """A value further out than four spreads counts as four: no text may be unlike all others by one feature."""
        n_columns = len(self.mean)
        standard = np.clip((rows[:, :n_columns] - self.mean) / self.spread, -_FURTHEST, _FURTHEST)
        return np.hstack([standard, rows[:, n_columns:]])
