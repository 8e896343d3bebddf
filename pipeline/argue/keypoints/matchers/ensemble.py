"""ensemble: the mean of tuned and a second encoder, bge-small-en-v1.5-int8, as it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher, MatcherKind, model_digest
from pipeline.argue.keypoints.matchers import tuned
from pipeline.argue.keypoints.matchers.encoder import plain_encoder
from pipeline.arrays import Matrix

SECOND_ENCODER = "bge-small-en-v1.5-int8"
# Where the mean of both tells matches from the rest best, on dev of ArgKP.
_THRESHOLD = 0.6


@dataclass(frozen=True)
class Ensemble:
    """The mean of the scores of several matchers."""

    members: tuple[Matcher, ...]
    name: str
    threshold: float

    @property
    def digest(self) -> str:
        return "+".join(member.digest for member in self.members if member.digest)

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Matrix:
        found = [member.scores(topic, arguments, key_points) for member in self.members]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)


def with_second(first: Matcher, name: str) -> Matcher:
    """The ensemble of a fine-tuned encoder and the second one."""
    return Ensemble((first, plain_encoder(SECOND_ENCODER)), name, _THRESHOLD)


MATCHER = MatcherKind(
    "ensemble",
    lambda model: with_second(tuned.MATCHER.load(""), "ensemble"),
    lambda model: tuned.MATCHER.digests("") | model_digest(SECOND_ENCODER),
)
