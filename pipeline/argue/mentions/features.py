"""What a detector weighs: similarities of an argument and a speech, and how they compare with the list's others."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.mentions.similarity import CONFIGURATIONS, ArgumentVectors, SpeechVectors, scores
from pipeline.arrays import Floats32, Matrix, Vectors

CONTRASTS = ("title-contrast", "arg-contrast")
LIKENESS = "likeness"
POSITION = "position"
COVERAGE = "arg-coverage"
FEATURES: tuple[str, ...] = (*CONFIGURATIONS, *CONTRASTS, COVERAGE, LIKENESS, POSITION)

# Of single configurations some do well on one kind of data and some on another; their mean does well on all.
_LIKENESS_OF = ("title-window", "arg-window", *CONTRASTS, COVERAGE)
_BEST = 3


def feature_table(arguments: ArgumentVectors, speech: SpeechVectors) -> Matrix:
    """One row per argument of one list, one column per feature, in the order of FEATURES.

    A speech is like all of its motion's arguments; what tells is which stand out. So similarities are in standard
    deviations from the list's mean, and 0 in a list of one. A contrast is how much more like this argument than like
    the others the best three sentences are; coverage is how well the speech has each of its sentences; `likeness` is
    the mean of windows, contrasts and coverage; `position` is where in the speech the passage most like the title
    begins, from 0 to 1.
    """
    similarities = [scores(arguments, speech, name) for name in CONFIGURATIONS]
    contrasts = [_contrast(queries, speech.sentences) for queries in (arguments.titles, arguments.texts)]
    coverage = np.array([(each @ speech.units.T).max(axis=1).mean() for each in arguments.sentences])
    standing = _standardised(np.column_stack([*similarities, *contrasts, coverage]))
    likeness = standing[:, columns(_LIKENESS_OF)].mean(axis=1)
    best = (arguments.titles @ speech.units.T).argmax(axis=1)
    position = np.array([speech.spans[unit][0] for unit in best]) / len(speech.sentences)
    return np.column_stack([standing, likeness, position])


def columns(names: Sequence[str]) -> list[int]:
    """Where features of these names stand in a table."""
    return [FEATURES.index(name) for name in names]


def _contrast(queries: Vectors, sentences: Vectors) -> Vectors:
    cosines = queries @ sentences.T
    contrast = np.sort(cosines - cosines.mean(axis=0), axis=1)
    return np.asarray(contrast[:, -_BEST:].mean(axis=1))


def _standardised(values: Floats32) -> Matrix:
    values = values.astype(np.float64)
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 1e-6, spread, 1))
