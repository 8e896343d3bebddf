"""token overlap: the share of a key point's stems that an argument has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix
from pipeline.matching.matcher import MatcherKind, no_models
from pipeline.text.terms import stems


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


MATCHER = MatcherKind("token overlap", lambda model: TokenOverlap(), no_models, place=10)
