"""The matchers that the evaluation compares: as they are, fine-tuned, and their scores against rivals."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher, always_shown, load_matcher
from pipeline.argue.keypoints.matchers.encoder import plain_encoder
from pipeline.argue.keypoints.matchers.ensemble import SECOND_ENCODER, Ensemble, ensemble
from pipeline.argue.keypoints.matchers.weights import load_weights
from pipeline.arrays import Matrix

ENSEMBLE = "ensemble"
FINE_TUNED = "fine-tuned"
_SHARE = 0.6


@dataclass(frozen=True)
class AgainstRivals:
    """Another matcher's scores less a share of the argument's best score with any other key point.

    An argument that fits one key point alone is the surest match. One that fits all of them a little is about the topic
    in general. The best key point of every argument stays the same. This suits a small set of different key points.
    """

    matcher: Matcher
    name: str
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
        return found - _SHARE * np.where(is_best, ranked[:, -2:-1], ranked[:, -1:])


@dataclass(frozen=True)
class Weights:
    """The files of weights of the ensemble's fine-tuned encoders."""

    first: Path
    second: Path

    @property
    def tuned(self) -> Matcher:
        return load_weights(self.first, f"{FINE_TUNED}, cosine alone")

    def ensemble(self, name: str) -> Ensemble:
        return ensemble(self.tuned, load_weights(self.second, SECOND_ENCODER), name)


def fine_tuned(weights: Weights) -> list[Matcher]:
    """The encoder with the first weights and the ensemble, each by its cosines and against rivals."""
    tuned, together = weights.tuned, weights.ensemble(f"{ENSEMBLE}, cosine alone")
    return [tuned, AgainstRivals(tuned, FINE_TUNED), together, AgainstRivals(together, ENSEMBLE)]


def unlearned(encoder: str) -> list[Matcher]:
    """The baselines, the encoders as they are, and the mean of both; these also against rivals."""
    plain = load_matcher(encoder)
    both = Ensemble((plain, plain_encoder(SECOND_ENCODER)), "both encoders", plain.threshold)
    return [
        *(load_matcher(name) for name in (*always_shown(), SECOND_ENCODER)),
        plain,
        AgainstRivals(plain, f"{plain.name}, against rivals"),
        both,
        AgainstRivals(both, "both encoders, against rivals"),
    ]
