"""main issue: how much the candidate takes up of what is central in the supporting speech."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.counter.comparison import SentenceSimilarity, covered
from pipeline.counter.method import CounterMethod
from pipeline.counter.reports import emphasises
from pipeline.counter.texts import SpeechText


def main_issue(similarity: SentenceSimilarity, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The mean of the best matches, in which central and emphasised sentences of the supporting speech count more."""
    weights = _sentence_weights(supporting, similarity(supporting, supporting))
    return np.array([covered(similarity(supporting, each), weights) for each in candidates], dtype=np.float64)


def _sentence_weights(speech: SpeechText, similarity: Matrix) -> Vector:
    """The centrality of each sentence: its mean similarity to the speech's others, doubled where it is emphasised."""
    centrality = np.maximum(similarity, 0).mean(axis=1) if len(similarity) else np.zeros(0)
    return np.asarray(centrality * (1 + np.array([emphasises(text) for text in speech.sentences], dtype=np.float64)))


METHOD = CounterMethod(
    "main issue",
    "meets its main issue",
    place=170,
    weight=1.0,
    build=lambda given: partial(main_issue, given.relations.similarity),
)
