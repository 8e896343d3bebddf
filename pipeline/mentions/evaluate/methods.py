"""The methods of the listening table: what they are given, what they return, and each of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.matching.matcher import load_matcher
from pipeline.mentions.detector import PRIOR, Detector, shipped_detector
from pipeline.mentions.evaluate.data import Listening
from pipeline.mentions.evaluate.encoders import WordMeanEncoder, inverse_document_frequencies
from pipeline.mentions.evaluate.fitting import LISTENING_FEATURES, fit, labelled_lists, vectors
from pipeline.mentions.features import CONFIGURATIONS, LIKENESS, POSITION, columns, scores
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.encoders.word_vectors import WordVectors

CANDIDATES = 5  # passages of the first pass that a cross-encoder reads


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


def all_scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    """The scores of every method, in the order of the table."""
    yield from baselines(data, resources.seed)
    yield from word_means(data, resources.words)
    for name, encoder in resources.encoders.items():
        yield from similarities(name, encoder, data)
        yield likeness(name, encoder, data)
    for model in resources.cross_encoders:
        yield highest_probability(model, resources.first_encoder, data)
    yield from detectors(data, resources.first_encoder)


def baselines(data: TrainAndTest, seed: int) -> Iterator[MethodScores]:
    """Baselines that do not listen: one answer for all, chance, and the length of the title."""
    is_frequent = np.mean([pair.mentioned for pair in data.training.pairs]) >= 0.5
    for name, answer in (("all-yes", 1.0), ("all-no", 0.0), ("majority", float(is_frequent))):
        constant = data.both(lambda part, _, answer=answer: np.full(len(part.pairs), answer))  # type: ignore[misc]
        yield MethodScores(name, "", *constant, threshold=0.5)
    random = np.random.default_rng(seed)
    yield MethodScores("random", "", *data.both(lambda part, _: random.random(len(part.pairs))))
    lengths = data.both(lambda part, _: np.array([float(len(pair.title.split())) for pair in part.in_lists()]))
    yield MethodScores("title length", "", *lengths)


def word_means(data: TrainAndTest, words: WordVectors) -> Iterator[MethodScores]:
    """'w2v' as published: tf-idf weighted means of word vectors, with frequencies from the training speeches."""
    sentences = data.training.sentences(data.training_transcript)
    yield from similarities("w2v", WordMeanEncoder(words, inverse_document_frequencies(sentences)), data)


def similarities(method: str, encoder: Encoder, data: TrainAndTest) -> Iterator[MethodScores]:
    """An encoder's cosines in the paper's four configurations, and in two with windows."""

    def score(part: Listening, transcript: str) -> Matrix:
        tables = []
        for pairs in part.lists():
            arguments, speech = vectors(encoder, pairs, part.transcripts[transcript][pairs[0].speech])
            tables.append(np.column_stack([scores(arguments, speech, config) for config in CONFIGURATIONS]))
        return np.asarray(np.vstack(tables), dtype=np.float64)

    tuning, test = data.both(score)
    for column, config in enumerate(CONFIGURATIONS):
        yield MethodScores(method, config, tuning[:, column], test[:, column])


def likeness(method: str, encoder: Encoder, data: TrainAndTest) -> MethodScores:
    """The untrained score of detectors: windows, contrasts and coverage, compared within the list."""
    column = columns([LIKENESS])[0]

    def score(part: Listening, transcript: str) -> Vector:
        lists = labelled_lists(part, transcript, encoder)
        return np.concatenate([arguments.table[:, column] for arguments in lists])

    return MethodScores(method, LIKENESS, *data.both(score))


def highest_probability(model: CrossEncoder, encoder: Encoder, data: TrainAndTest) -> MethodScores:
    """The highest probability that a cross-encoder gives to the passages most similar to the title by an encoder."""

    def score(part: Listening, transcript: str) -> Vector:
        values = []
        for pairs in part.lists():
            sentences = part.transcripts[transcript][pairs[0].speech]
            arguments, speech = vectors(encoder, pairs, sentences)
            best = np.argsort(-(arguments.titles @ speech.units.T), axis=1)[:, :CANDIDATES]
            for pair, units in zip(pairs, best, strict=True):
                passages = [" ".join(sentences[slice(*speech.spans[unit])]) for unit in units]
                values.append(model.probabilities([(passage, pair.title) for passage in passages]).max())
        return np.array(values)

    return MethodScores(f"cross-encoder {model.name}", "title-window", *data.both(score))


def detectors(data: TrainAndTest, encoder: Encoder) -> Iterator[MethodScores]:
    """The shipped detector as it is, and detectors trained as `rostrum train mentions` does.

    Training needs labels of both kinds, on two motions or more.
    """
    shipped = shipped_detector(encoder)
    matcher = load_matcher(shipped.matcher) if shipped and shipped.matcher else None
    test = labelled_lists(data.test, data.test_transcript, encoder, matcher)

    def detected(method: str, config: str, detector: Detector) -> MethodScores:
        probabilities = [speech.probabilities(detector) for speech in test]
        test_scores = np.concatenate(probabilities)
        return MethodScores(method, config, np.zeros(0), test_scores, detector.threshold, probable=True)

    if shipped:
        yield detected("shipped detector", "", shipped)
    training = [speech for kind in data.labelled.transcripts for speech in labelled_lists(data.labelled, kind, encoder)]
    labels = {label for speech in training for label in speech.labels.tolist()}
    if len(labels) < 2 or len({speech.group for speech in training}) < 2:
        return
    for method, config, features in (
        ("prior", "no listening", (PRIOR,)),
        ("trained detector", "without prior", tuple(name for name in LISTENING_FEATURES if name != PRIOR)),
        ("trained detector", "with position", (*LISTENING_FEATURES, POSITION)),
        ("trained detector", "", LISTENING_FEATURES),
    ):
        yield detected(method, config, fit(training, encoder, method, features))
