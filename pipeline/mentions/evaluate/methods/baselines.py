"""Baselines that do not listen: one answer for all, chance, and the length of the title."""

from collections.abc import Iterator

import numpy as np

from pipeline.arrays import Vector
from pipeline.mentions.evaluate.data import Listening
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest

PLACE = 0


def scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    labels = [pair.mentioned for pair in data.training.pairs]

    def constant(value: float) -> tuple[Vector, Vector]:
        return data.both(lambda part, _: np.full(len(part.pairs), value))

    yield MethodScores("all-yes", "", *constant(1.0), threshold=0.5)
    yield MethodScores("all-no", "", *constant(0.0), threshold=0.5)
    yield MethodScores("majority", "", *constant(float(np.mean(labels) >= 0.5)), threshold=0.5)
    random = np.random.default_rng(resources.seed)
    yield MethodScores("random", "", *data.both(lambda part, _: random.random(len(part.pairs))))
    yield MethodScores("title length", "", *data.both(lambda part, _: _lengths(part)))


def _lengths(part: Listening) -> Vector:
    return np.array([float(len(pair.title.split())) for pair in part.in_lists()])
