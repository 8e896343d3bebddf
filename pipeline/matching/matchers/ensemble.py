"""ensemble: the mean of three: tuned, the encoder bge-small-en-v1.5-int8 as it is, and tuned-bge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix
from pipeline.matching.matcher import Matcher, MatcherKind, model_digest
from pipeline.matching.matchers import tuned, tuned_bge
from pipeline.matching.matchers.encoder import plain_encoder

SECOND_ENCODER = "bge-small-en-v1.5-int8"
# Where the mean tells matches from the rest best, on dev of ArgKP.
_THRESHOLD = 0.638


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


def ensemble(first: Matcher, second: Matcher, name: str) -> Ensemble:
    """The ensemble of two fine-tuned encoders, of which the second learned without topics, and the second as it was."""
    return Ensemble((first, plain_encoder(SECOND_ENCODER), second), name, _THRESHOLD)


MATCHER = MatcherKind(
    "ensemble",
    lambda model: ensemble(tuned.MATCHER.load(""), tuned_bge.MATCHER.load(""), "ensemble"),
    lambda model: tuned.MATCHER.digests("") | model_digest(SECOND_ENCODER) | tuned_bge.MATCHER.digests(""),
)
