"""quotes: sentences that report what the other side said, by how well they match the supporting speech."""

from functools import partial

import numpy as np

from pipeline.counter.comparison import SentenceSimilarity, best_matches
from pipeline.counter.method import CounterMethod, by_pair
from pipeline.counter.reports import report_weights
from pipeline.counter.texts import SpeechText


def quotes(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """Sentences that report what the other side said, by how well they match a sentence of the supporting speech.

    A sentence that follows a report counts half. The sum is divided by the root of the candidate's length, so that
    neither a long speech nor a single report decides.
    """
    best = best_matches(similarity(supporting, candidate), axis=0)
    reports = report_weights(candidate, supporting.speakers)
    return float((best * reports).sum() / np.sqrt(max(len(best), 1)))


METHOD = CounterMethod(
    "quotes",
    "reports the other side",
    place=130,
    weight=1.0,
    build=lambda given: by_pair(partial(quotes, given.relations.similarity)),
)
