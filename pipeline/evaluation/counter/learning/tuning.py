"""The configuration of SD and SD-e that answers most questions."""

import itertools
from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.methods.sd_e import SimilarityDissimilarity, SpeechSimilarity
from pipeline.argue.counter.word_movers.aggregation import AGGREGATIONS, Configuration
from pipeline.arrays import Matrix, Vector
from pipeline.evaluation.counter.debates import Question
from pipeline.evaluation.counter.metrics import mean_accuracy

ALPHAS = (1.0, 0.9, 0.8)
CONFIGURATIONS: tuple[Configuration, ...] = (
    *(Configuration(sim, sim, 1.0) for sim in AGGREGATIONS),
    *(
        Configuration(sim, dissim, alpha)
        for sim, dissim in itertools.permutations(AGGREGATIONS, 2)
        for alpha in ALPHAS
        if alpha < 1
    ),
)


def tuned(parts: Sequence[SpeechSimilarity], questions: Sequence[Question]) -> Configuration:
    """The configuration with the highest accuracy on these questions, the first of equals."""
    method = SimilarityDissimilarity(parts)
    tables = [method.table(question.supporting, question.candidates) for question in questions]
    return max(CONFIGURATIONS, key=lambda config: mean_accuracy([scored(table, config) for table in tables], questions))


def scored(table: Matrix, config: Configuration) -> Vector:
    """Scores by a configuration, from a table of all aggregations."""
    similarity = table[:, AGGREGATIONS.index(config.similarity)]
    dissimilarity = table[:, AGGREGATIONS.index(config.dissimilarity)]
    return np.asarray(config.alpha * similarity - (1 - config.alpha) * dissimilarity)
