"""Scores of a small set of key points, each against the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher
from pipeline.arrays import Matrix


@dataclass(frozen=True)
class AgainstRivals:
    """Another matcher's scores less a share of the argument's best score with any other key point.

    An argument that fits one key point alone is the surest match. One that fits all of them a little is about the topic
    in general. The best key point of every argument stays the same. This suits a small set of different key points.
    """

    matcher: Matcher
    name: str
    share: float = 0.6
    threshold: float = 0.0

    @property
    def digest(self) -> str:
        return self.matcher.digest

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        found = self.matcher.scores(topic, arguments, key_points)
        if found.shape[1] < 2:
            return found
        ranked = np.sort(found, axis=1)
        is_best = found == ranked[:, -1:]
        return found - self.share * np.where(is_best, ranked[:, -2:-1], ranked[:, -1:])
