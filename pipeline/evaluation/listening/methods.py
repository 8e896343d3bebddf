"""The methods of the listening table: each gives a score to every labelled pair, and some a probability."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.mentions.detector import PRIOR, Detector
from pipeline.argue.mentions.features import LIKENESS, POSITION, columns
from pipeline.argue.mentions.similarity import CONFIGURATIONS, scores
from pipeline.arrays import Floats
from pipeline.evaluation.listening.data import Listening
from pipeline.evaluation.listening.fitting import LISTENING_FEATURES, LabelledList, fit
from pipeline.evaluation.listening.lists import examples, vectors
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder

CANDIDATES = 5  # windows of the first pass that a cross-encoder reads


@dataclass(frozen=True)
class MethodScores:
    """A method's scores of the pairs to tune on and of those to test on, list by list.

    `threshold` is None where it is to be chosen on the first, which are not needed elsewhere. `probable` says that
    scores are probabilities.
    """

    method: str
    config: str
    tuning: Floats
    test: Floats
    threshold: float | None = None
    probable: bool = False


@dataclass(frozen=True)
class TrainAndTest:
    """What to tune and train on, and what to test on, each in one kind of transcript."""

    training: Listening
    training_transcript: str
    test: Listening
    test_transcript: str

    def both(self, score: Callable[[Listening, str], Floats]) -> tuple[Floats, Floats]:
        return score(self.training, self.training_transcript), score(self.test, self.test_transcript)


def baselines(parts: TrainAndTest, seed: int) -> Iterator[MethodScores]:
    """What needs no listening."""
    labels = [pair.mentioned for pair in parts.training.pairs]

    def constant(value: float) -> tuple[Floats, Floats]:
        return parts.both(lambda data, _: np.full(len(data.pairs), value))

    yield MethodScores("all-yes", "", *constant(1.0), threshold=0.5)
    yield MethodScores("all-no", "", *constant(0.0), threshold=0.5)
    yield MethodScores("majority", "", *constant(float(np.mean(labels) >= 0.5)), threshold=0.5)
    random = np.random.default_rng(seed)
    yield MethodScores("random", "", *parts.both(lambda data, _: random.random(len(data.pairs))))
    yield MethodScores("title length", "", *parts.both(lambda data, _: _lengths(data)))


def similarities(method: str, encoder: Encoder, parts: TrainAndTest) -> Iterator[MethodScores]:
    """The paper's four configurations, and two with windows."""
    tuning, test = parts.both(lambda data, transcript: _similarities(data, transcript, encoder))
    for column, config in enumerate(CONFIGURATIONS):
        yield MethodScores(method, config, tuning[:, column], test[:, column])


def likeness(method: str, encoder: Encoder, parts: TrainAndTest) -> MethodScores:
    """The untrained score: how an argument stands out in its list, by windows, contrasts and coverage."""

    def score(data: Listening, transcript: str) -> Floats:
        return np.concatenate([_column(each, LIKENESS) for each in examples(data, transcript, encoder)])

    return MethodScores(method, LIKENESS, *parts.both(score))


def cross_encoder(model: CrossEncoder, encoder: Encoder, parts: TrainAndTest) -> MethodScores:
    """The highest score among the windows that the first pass holds most like the title."""

    def score(data: Listening, transcript: str) -> Floats:
        values = []
        for pairs in data.lists():
            sentences = data.transcripts[transcript][pairs[0].speech]
            arguments, speech = vectors(encoder, pairs, sentences)
            best = np.argsort(-(arguments.titles @ speech.units.T), axis=1)[:, :CANDIDATES]
            for pair, units in zip(pairs, best, strict=True):
                passages = [" ".join(sentences[slice(*speech.spans[unit])]) for unit in units]
                values.append(model.probabilities([(passage, pair.title) for passage in passages]).max())
        return np.array(values)

    return MethodScores(f"cross-encoder {model.name}", "title-window", *parts.both(score))


def detectors(encoder: Encoder, shipped: Detector | None, parts: TrainAndTest) -> Iterator[MethodScores]:
    """The shipped detector as it is, and detectors trained as `rostrum train mentions` does, on all transcripts."""
    training = [each for kind in parts.training.transcripts for each in examples(parts.training, kind, encoder)]
    test = examples(parts.test, parts.test_transcript, encoder)
    if shipped:
        yield _detected("shipped detector", "", shipped, test)
    without_prior = tuple(name for name in LISTENING_FEATURES if name != PRIOR)
    for method, config, features in (
        ("prior", "no listening", (PRIOR,)),
        ("trained detector", "without prior", without_prior),
        ("trained detector", "with position", (*LISTENING_FEATURES, POSITION)),
        ("trained detector", "", LISTENING_FEATURES),
    ):
        yield _detected(method, config, fit(training, encoder, method, features), test)


def _detected(method: str, config: str, detector: Detector, test: Sequence[LabelledList]) -> MethodScores:
    probabilities = [detector.probabilities(each.motion, each.titles, each.table) for each in test]
    return MethodScores(method, config, np.zeros(0), np.concatenate(probabilities), detector.threshold, probable=True)


def _similarities(data: Listening, transcript: str, encoder: Encoder) -> Floats:
    tables = []
    for pairs in data.lists():
        arguments, speech = vectors(encoder, pairs, data.transcripts[transcript][pairs[0].speech])
        tables.append(np.column_stack([scores(arguments, speech, config) for config in CONFIGURATIONS]))
    return np.asarray(np.vstack(tables), dtype=np.float64)


def _lengths(data: Listening) -> Floats:
    return np.array([float(len(pair.title.split())) for pairs in data.lists() for pair in pairs])


def _column(example: LabelledList, name: str) -> Floats:
    return example.table[:, columns([name])[0]]
