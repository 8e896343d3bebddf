"""The mention detector: weights of features, and what is known of claims: how often heard, how general."""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from pipeline import models
from pipeline.arrays import Floats, Matrix
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.mentions.features import FEATURES, POINTS, columns, standardised
from pipeline.models.stored import FeatureWeight, StoredModel
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.terms import stem, stop_words, tokens

PRIOR = "prior"
GENERALITY = "generality"
SHIPPED = Path(__file__).with_name("detectors")
# Chosen by cross-validation over the motions that detectors are trained on.
SHARPNESS = 5.0
STRENGTH = 0.5
# On how many topics a word counts that was seen on none.
_UNSEEN = 0.5


@functools.lru_cache(maxsize=10_000)
def terms(motion: str, title: str) -> frozenset[str]:
    """Stems of a title without the motion's own words: what is claimed, not what it is claimed of."""
    topic = {stem(word) for word in tokens(motion) if word not in stop_words()}
    return frozenset(stem(word) for word in tokens(title)) - topic


class HeardClaim(BaseModel):
    """Arguments that share their words: how many there were, and the mean share of people who heard them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    terms: tuple[str, ...]
    share: float
    count: int


class Prior(BaseModel):
    """The arguments a detector was trained on, and how often they were heard: claims recur from motion to motion."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    known: tuple[HeardClaim, ...]

    @classmethod
    def of(cls, heard: Iterable[tuple[str, str, float]]) -> "Prior":
        """From (motion, title, share of people who heard it in a speech)."""
        by_terms = grouped((tuple(sorted(terms(motion, title))), share) for motion, title, share in heard)
        return cls(
            known=tuple(
                HeardClaim(terms=claim, share=float(np.mean(shares)), count=len(shares))
                for claim, shares in sorted(by_terms.items())
            )
        )

    def log_odds(self, motion: str, titles: Sequence[str]) -> Floats:
        """For each title, log odds of the mean share of known arguments, weighted by words in common with the title."""
        shares = np.array([claim.share for claim in self.known])
        counts = np.array([claim.count for claim in self.known])
        base = float(shares @ counts / counts.sum())
        likeness = np.array([[_jaccard(terms(motion, title), claim.terms) for claim in self.known] for title in titles])
        weights = counts * np.exp(SHARPNESS * (likeness - 1))
        share = (weights @ shares + STRENGTH * base) / (weights.sum(axis=1) + STRENGTH)
        share = share.clip(0.01, 0.99)
        return np.asarray(np.log(share / (1 - share)))


def _jaccard(one: frozenset[str], other: Sequence[str]) -> float:
    union = one.union(other)
    return len(one.intersection(other)) / len(union) if union else 0.0


class Generality(BaseModel):
    """How general claims are: word stems, and on how many of all `topics` people used them in an argument.

    'Will harm others' is heard in most debates, 'benefits minorities' in few, whatever they are about.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: int
    words: dict[str, int]

    @classmethod
    def of(cls, arguments: Iterable[tuple[str, str]]) -> "Generality":
        """From (topic, argument). Words of a single topic are left out: they count like unseen ones."""
        topics: dict[str, set[str]] = {}
        for topic, text in arguments:
            topics.setdefault(topic, set()).update(stem(word) for word in tokens(text))
        counts = Counter(word for words in topics.values() for word in words)
        return cls(topics=len(topics), words={word: count for word, count in sorted(counts.items()) if count > 1})

    def standing(self, motion: str, titles: Sequence[str]) -> Floats:
        """For each title, the mean logarithm of its words' shares of topics, in deviations from the list's mean.

        Stop words and the motion's own words count for nothing.
        """
        return standardised(np.array([self._log_share(motion, title) for title in titles]))

    def _log_share(self, motion: str, title: str) -> float:
        content = sorted(terms(motion, title) - set(map(stem, stop_words())))
        shares = [np.log((self.words.get(word, 0) + _UNSEEN) / max(self.topics, 1)) for word in content]
        return float(np.mean(shares)) if shares else 0.0


class Detector(StoredModel):
    """Logistic regression over some of FEATURES and, if it has them, the argument's prior and generality.

    `matcher` is the key point matcher whose scores it weighs, if it weighs any.
    """

    noun = "a mention detector"

    trained_on: str
    encoder: str
    encoder_digest: str
    weights: dict[str, FeatureWeight]
    bias: float
    threshold: float
    prior: Prior | None = None
    generality: Generality | None = None
    matcher: str | None = None

    @classmethod
    def read(cls, path: Path) -> Self:
        """A detector from its file. It weighs only features that it has and that this version knows."""
        detector = super().read(path)
        known = {*FEATURES} if detector.matcher else {*FEATURES} - {*POINTS}
        if detector.prior:
            known.add(PRIOR)
        if detector.generality:
            known.add(GENERALITY)
        if unknown := sorted(detector.weights.keys() - known):
            raise RostrumError(
                f"{path}: weighs {unknown[0]!r}, which it lacks or this version does not know; train it again"
            )
        return detector

    def probabilities(self, motion: str, titles: Sequence[str], table: Matrix, others: Sequence[str] = ()) -> Floats:
        """For each argument of a list, the probability that people would hear it, from the whole list's features.

        `others` are the titles of the list that are not asked about: how general an argument is stands beside all.
        """
        logits = np.full(len(titles), self.bias)
        for name, weight in self.weights.items():
            logits += weight.contribution(self._values(name, motion, titles, table, others))
        return np.asarray(1 / (1 + np.exp(-logits)))

    def _values(self, name: str, motion: str, titles: Sequence[str], table: Matrix, others: Sequence[str]) -> Floats:
        if name == PRIOR and self.prior is not None:
            return self.prior.log_odds(motion, titles)
        if name == GENERALITY and self.generality is not None:
            return self.generality.standing(motion, [*titles, *others])[: len(titles)]
        return np.asarray(table[:, columns([name])[0]])


def find_detector(name: str, encoder: str, encoder_digest: str) -> tuple[str, Detector]:
    """A detector for an encoder, and what to call it.

    `name` is a path; or 'shipped', the one in this package; or 'auto', the one trained on this machine if there is one,
    else the shipped one.
    """
    trained = trained_path(encoder_digest)
    if name == "auto" and trained.exists():
        label, detector = "trained", Detector.read(trained)
    elif name in ("auto", "shipped"):
        label, detector = "shipped", _shipped(encoder, encoder_digest)
    else:
        label, detector = Path(name).name, Detector.read(Path(name).expanduser())
    if detector.encoder_digest != encoder_digest:
        raise RostrumError(
            f"{name}: a detector for the encoder {detector.encoder}, not for this {encoder}; "
            f"train one for it: rostrum train mentions --encoder {encoder} --data DIR"
        )
    return label, detector


def _shipped(encoder: str, encoder_digest: str) -> Detector:
    for path in sorted(SHIPPED.glob("*.json")):
        detector = Detector.read(path)
        if detector.encoder_digest == encoder_digest:
            return detector
    raise RostrumError(
        f"no mention detector is shipped for the encoder {encoder}; "
        f"train one: rostrum train mentions --encoder {encoder} --data DIR"
    )


def shipped_detector(encoder: Encoder) -> Detector | None:
    """The detector that comes with rostrum for an encoder; None if there is none for it."""
    try:
        return _shipped(encoder.name, encoder.digest)
    except RostrumError:
        return None


def trained_path(encoder_digest: str) -> Path:
    """Where training leaves a detector by default: one file for each encoder."""
    return models.cache_folder() / "mentions" / f"{encoder_digest[:16]}.json"


class Quality(BaseModel):
    """How good a detector was on debates that it had not seen, beside always answering no.

    Accuracy is of each speech, averaged, with its 95 % interval.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    debates: int
    decisions: int
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    always_no: float


@functools.cache
def quality_of(digest: str) -> Quality | None:
    """What was measured of the detector of that digest (`rostrum evaluate listening`); None if nothing was."""
    measured = json.loads(Path(__file__).with_name("quality.json").read_text(encoding="utf-8"))
    return Quality.model_validate(measured[digest]) if digest in measured else None
