"""The shipped detector as it is, and detectors trained as `rostrum train mentions` does."""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.errors import RostrumError
from pipeline.matching.matcher import load_matcher
from pipeline.mentions.detector import POSITION, PRIOR, Detector, find_detector
from pipeline.mentions.evaluate.fitting import LISTENING_FEATURES, LabelledList, fit
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest, labelled_lists
from pipeline.text.encoders.sentence_encoder import Encoder

PLACE = 4


def scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    encoder = resources.first_encoder
    labelled = data.labelled
    training = [each for kind in labelled.transcripts for each in labelled_lists(labelled, kind, encoder)]
    shipped = _shipped(encoder)
    matcher = load_matcher(shipped.matcher) if shipped and shipped.matcher else None
    test = labelled_lists(data.test, data.test_transcript, encoder, matcher)
    if shipped:
        yield _detected("shipped detector", "", shipped, test)
    if not can_learn(training):
        return
    without_prior = tuple(name for name in LISTENING_FEATURES if name != PRIOR)
    for method, config, features in (
        ("prior", "no listening", (PRIOR,)),
        ("trained detector", "without prior", without_prior),
        ("trained detector", "with position", (*LISTENING_FEATURES, POSITION)),
        ("trained detector", "", LISTENING_FEATURES),
    ):
        yield _detected(method, config, fit(training, encoder, method, features), test)


def can_learn(training: Sequence[LabelledList]) -> bool:
    """Whether a detector can be trained: it needs labels of both kinds, on two motions or more."""
    kinds = {label for each in training for label in each.labels.tolist()}
    return len(kinds) == 2 and len({each.group for each in training}) > 1


def _shipped(encoder: Encoder) -> Detector | None:
    try:
        return find_detector("shipped", encoder.name, encoder.digest)[1]
    except RostrumError:  # there is none for this encoder, and so no row
        return None


def _detected(method: str, config: str, detector: Detector, test: Sequence[LabelledList]) -> MethodScores:
    probabilities = [detector.probabilities(each.motion, each.titles, each.table) for each in test]
    return MethodScores(method, config, np.zeros(0), np.concatenate(probabilities), detector.threshold, probable=True)
