"""Inputs and outputs of the methods of the listening table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.arrays import Vector
from pipeline.evaluation.listening.data import Listening
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.encoders.word_vectors import WordVectors


@dataclass(frozen=True)
class Resources:
    """The models that a call names. Detectors are made for the first encoder."""

    encoders: Mapping[str, Encoder]
    words: WordVectors
    cross_encoders: tuple[CrossEncoder, ...] = ()
    seed: int = 0

    @property
    def first_encoder(self) -> Encoder:
        return next(iter(self.encoders.values()))


@dataclass(frozen=True)
class TrainAndTest:
    """The data to tune on and the data to test on, each in one kind of transcript.

    Detectors are trained on `labelled`. It has other claims if the tested ones have too few labels.
    """

    training: Listening
    training_transcript: str
    test: Listening
    test_transcript: str
    labelled: Listening

    def both(self, score: Callable[[Listening, str], Vector]) -> tuple[Vector, Vector]:
        return score(self.training, self.training_transcript), score(self.test, self.test_transcript)


@dataclass(frozen=True)
class MethodScores:
    """A method's scores of the pairs to tune on and of those to test on, list by list.

    `threshold` is None if it is to be chosen on the scores to tune on, which are otherwise not needed. `probable` says
    that scores are probabilities.
    """

    method: str
    config: str
    tuning: Vector
    test: Vector
    threshold: float | None = None
    probable: bool = False
