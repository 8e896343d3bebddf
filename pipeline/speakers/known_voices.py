"""Whose voice it is: the voices of a recording compared with those of people who were named before."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pipeline.diarize import Voice
from pipeline.grouping import grouped
from pipeline.speakers.record import KnownVoices

# Two vectors of one person are more alike than those of two people (cosines). In between, a logistic curve: at the
# middle both are as probable; so much more alike, and it is the same person with nine to one.
_MIDDLE, _NINE_TO_ONE = 0.5, 0.1
# No name is certain: few voices were measured.
_MOST_CERTAIN = 0.999


class Recognised(NamedTuple):
    """A name from the register, and how probable it is that the voice is this person's."""

    name: str
    probability: float


def recognise(voices: Sequence[Voice], known: KnownVoices, threshold: float) -> dict[str, Recognised]:
    """The name of each voice (by label) that is at least so probable. A name is given to one voice of a recording."""
    from scipy.optimize import linear_sum_assignment

    names, chances = probabilities(voices, known)
    recognised = {}
    for voice, person in zip(*linear_sum_assignment(-chances), strict=True):
        probability = min(round(float(chances[voice, person]), 3), _MOST_CERTAIN)
        if probability >= threshold:
            recognised[voices[voice].speaker] = Recognised(names[person], probability)
    return recognised


def probabilities(voices: Sequence[Voice], known: KnownVoices) -> tuple[list[str], np.ndarray]:
    """(names, the probability that each voice (a row) is each person's). What is left is that of somebody else.

    Samples of a person add up to one mean vector. Vectors of another embedding cannot be compared.
    """
    people = grouped((person.name, person) for person in known.items)
    odds = np.zeros((len(voices), len(people)))
    for column, samples in enumerate(people.values()):
        for row, voice in enumerate(voices):
            own = [np.array(sample.vector) for sample in samples if sample.embedding == voice.embedding]
            if own:
                mean = np.sum(own, axis=0)
                likeness = float(mean @ np.array(voice.vector) / np.linalg.norm(mean))
                odds[row, column] = 9.0 ** ((likeness - _MIDDLE) / _NINE_TO_ONE)
    return list(people), odds / (1.0 + odds.sum(axis=1, keepdims=True))
