"""How often arguments like this one are heard in any speech: claims recur from motion to motion."""

import functools
from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from pipeline.arrays import Floats
from pipeline.grouping import grouped
from pipeline.text.terms import stem, stop_words, tokens

# Chosen by cross-validation over the motions that detectors are trained on.
SHARPNESS = 5.0
STRENGTH = 0.5


class HeardClaim(BaseModel):
    """Arguments that share their words: how many there were, and the mean share of people who heard them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    terms: tuple[str, ...]
    share: float
    count: int


class Prior(BaseModel):
    """The arguments a detector was trained on, and how often they were heard."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    known: tuple[HeardClaim, ...]

    @classmethod
    def of(cls, heard: Iterable[tuple[str, str, float]]) -> "Prior":
        """From (motion, title, share of people who heard it in a speech)."""
        shares = grouped((tuple(sorted(terms(motion, title))), share) for motion, title, share in heard)
        known = (
            HeardClaim(terms=key, share=float(np.mean(each)), count=len(each)) for key, each in sorted(shares.items())
        )
        return cls(known=tuple(known))

    def log_odds(self, motion: str, titles: Sequence[str]) -> Floats:
        """For each title, log odds of the mean share of known arguments, weighted by words in common with the title."""
        shares = np.array([each.share for each in self.known])
        counts = np.array([each.count for each in self.known])
        base = float(shares @ counts / counts.sum())
        asked = [terms(motion, title) for title in titles]
        likeness = np.array([[_jaccard(one, each.terms) for each in self.known] for one in asked])
        weights = counts * np.exp(SHARPNESS * (likeness - 1))
        share = (weights @ shares + STRENGTH * base) / (weights.sum(axis=1) + STRENGTH)
        share = share.clip(0.01, 0.99)
        return np.asarray(np.log(share / (1 - share)))


@functools.lru_cache(maxsize=10_000)
def terms(motion: str, title: str) -> frozenset[str]:
    """Stems of a title without the motion's own words: what is claimed, not what it is claimed of."""
    topic = {stem(word) for word in tokens(motion) if word not in stop_words()}
    return frozenset(stem(word) for word in tokens(title)) - topic


def _jaccard(one: frozenset[str], other: Sequence[str]) -> float:
    union = one.union(other)
    return len(one.intersection(other)) / len(union) if union else 0.0
