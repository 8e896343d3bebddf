"""Inputs and outputs of the methods of the listening table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.matching.matcher import Matcher
from pipeline.mentions.detector import feature_table, point_scores
from pipeline.mentions.evaluate.data import Listening, Pair
from pipeline.mentions.evaluate.encoders import WordMeanEncoder, as_one_text
from pipeline.mentions.evaluate.fitting import LabelledList
from pipeline.mentions.similarity import (
    CONFIGURATIONS,
    ArgumentVectors,
    SpeechVectors,
    argument_vectors,
    mean_of_sentences,
    scores,
    speech_vectors,
)
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


# The labelled lists of a data set as similarities and as features of detectors.


def vectors(
    encoder: Encoder, pairs: Sequence[Pair], sentences: Sequence[str], others: Sequence[str] = ()
) -> tuple[ArgumentVectors, SpeechVectors]:
    """The vectors of a list's arguments, followed by those of the titles `others`, and the vectors of its speech."""
    passage = as_one_text if isinstance(encoder, WordMeanEncoder) else mean_of_sentences
    titles, texts = [pair.title for pair in pairs], [pair.text for pair in pairs]
    arguments = argument_vectors(encoder, [*titles, *others], [*texts, *(() for _ in others)], passage)
    return arguments, speech_vectors(encoder, sentences, passage)


def labelled_lists(
    data: Listening, transcript: str, encoder: Encoder, matcher: Matcher | None = None
) -> list[LabelledList]:
    """One list per speech. Without votes, the label stands for the share of people who heard the argument.

    With a `matcher`, the features by its scores are computed as well.
    """
    return [
        LabelledList(
            group=pairs[0].motion,
            motion=pairs[0].motion_text,
            titles=tuple(pair.title for pair in pairs),
            table=_features(data, pairs, transcript, encoder, matcher),
            labels=np.array([pair.mentioned for pair in pairs]),
            shares=np.array([float(pair.mentioned) if pair.share is None else pair.share for pair in pairs]),
        )
        for pairs in data.lists()
    ]


def _features(
    data: Listening, pairs: Sequence[Pair], transcript: str, encoder: Encoder, matcher: Matcher | None
) -> Matrix:
    """The features of the labelled arguments, compared with all that are known on the motion."""
    speech = pairs[0].speech
    sentences, others = data.transcripts[transcript][speech], data.unlabelled.get(speech, ())
    titles, texts = [*(pair.title for pair in pairs), *others], [*(pair.text for pair in pairs), *(() for _ in others)]
    points = point_scores(matcher, pairs[0].motion_text, sentences, titles, texts) if matcher else None
    return feature_table(*vectors(encoder, pairs, sentences, others), points)[: len(pairs)]


def similarities(method: str, encoder: Encoder, data: TrainAndTest) -> Iterator[MethodScores]:
    """The paper's four configurations, and two with windows."""
    tuning, test = data.both(lambda part, transcript: _similarities(part, transcript, encoder))
    for column, config in enumerate(CONFIGURATIONS):
        yield MethodScores(method, config, tuning[:, column], test[:, column])


def _similarities(data: Listening, transcript: str, encoder: Encoder) -> Matrix:
    tables = []
    for pairs in data.lists():
        arguments, speech = vectors(encoder, pairs, data.transcripts[transcript][pairs[0].speech])
        tables.append(np.column_stack([scores(arguments, speech, config) for config in CONFIGURATIONS]))
    return np.asarray(np.vstack(tables), dtype=np.float64)
