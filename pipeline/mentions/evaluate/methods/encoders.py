"""Sentence encoders, skip-thought among them: cosines, and how an argument stands out in its list."""

from collections.abc import Iterator

import numpy as np

from pipeline.arrays import Vector
from pipeline.mentions.detector import LIKENESS, columns
from pipeline.mentions.evaluate.data import Listening
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest, labelled_lists, similarities
from pipeline.text.encoders.sentence_encoder import Encoder

PLACE = 2


def scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    for name, encoder in resources.encoders.items():
        yield from similarities(name, encoder, data)
        yield _likeness(name, encoder, data)


def _likeness(method: str, encoder: Encoder, data: TrainAndTest) -> MethodScores:
    """The untrained score of detectors: windows, contrasts and coverage, compared within the list."""

    def score(part: Listening, transcript: str) -> Vector:
        column = columns([LIKENESS])[0]
        return np.concatenate([each.table[:, column] for each in labelled_lists(part, transcript, encoder)])

    return MethodScores(method, LIKENESS, *data.both(score))
