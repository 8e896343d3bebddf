"""The matchers that the evaluation compares, and the weights that the fine-tuned ones learn from its data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline import models
from pipeline.arrays import Matrix
from pipeline.keypoints.evaluate.data import Part
from pipeline.keypoints.evaluate.training import HEARD, MatcherOptions, data_digest, learn
from pipeline.matching.matcher import Matcher, always_shown, load_matcher
from pipeline.matching.matchers.encoders import (
    SECOND_ENCODER,
    TUNED_BGE_WEIGHTS,
    TUNED_WEIGHTS,
    Ensemble,
    ensemble,
    load_weights,
    plain_encoder,
    trained_file,
)
from pipeline.matching.weights import MatcherHeader, header_of
from pipeline.progress import Progress

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
        scores = self.matcher.scores(topic, arguments, key_points)
        if scores.shape[1] < 2:
            return scores
        ranked = np.sort(scores, axis=1)
        best_rival = np.where(scores == ranked[:, -1:], ranked[:, -2:-1], ranked[:, -1:])
        return scores - _SHARE * best_rival


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


def learned_weights(part: Part, dev: Part | None, encoder: str, progress: Progress) -> tuple[Weights, bool]:
    """(the weights that the encoders of the ensemble learn from a part, whether the first learned only now).

    They are those of a training, of an earlier evaluation, or as shipped. Weights that were not there are kept.
    """
    digest = data_digest(part)
    first = weights_of(digest, encoder, MatcherOptions())
    second = weights_of(digest, SECOND_ENCODER, HEARD)
    missing = [first, second].count(None)

    def share_of(number: int) -> Progress:
        return lambda share, what: progress((number + share) / missing, what)

    def train_now(encoder: str, options: MatcherOptions, progress: Progress) -> Path:
        file = stored_weights(digest, encoder, options)
        learn(part, dev, file, base=encoder, options=options, progress=progress)
        return file

    weights = Weights(
        first or train_now(encoder, MatcherOptions(), share_of(0)),
        second or train_now(SECOND_ENCODER, HEARD, share_of(missing - 1)),
    )
    return weights, first is None


def weights_of(digest: str, encoder: str, options: MatcherOptions) -> Path | None:
    """A file of weights that this encoder learned from this data: by training, by an evaluation, or as shipped."""
    known = [trained_file(), stored_weights(digest, encoder, options), TUNED_WEIGHTS, TUNED_BGE_WEIGHTS]
    wanted = (digest, models.find(encoder).digest, options.topical)
    for file in known:
        if file.exists():
            header = header_of(file, MatcherHeader)
            if (header.data_digest, header.base_digest, header.topical) == wanted:
                return file
    return None


def stored_weights(digest: str, encoder: str, options: MatcherOptions) -> Path:
    """Where an evaluation keeps weights that it had to train, by the digests of the data and of the encoder."""
    kind = "data" if options.topical else "heard"
    return trained_file().with_name(f"{kind}-{digest[:16]}-{models.find(encoder).digest[:16]}.safetensors")
