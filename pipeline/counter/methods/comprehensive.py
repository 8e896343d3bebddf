"""comprehensive: how much of the supporting speech the candidate takes up."""

from functools import partial

from pipeline.counter.comparison import SentenceSimilarity, covered
from pipeline.counter.method import CounterMethod, by_pair
from pipeline.counter.texts import SpeechText


def comprehensive(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """The mean of the best matches of the supporting speech's sentences."""
    return covered(similarity(supporting, candidate))


METHOD = CounterMethod(
    "comprehensive",
    "meets what it says",
    place=150,
    weight=1.0,
    build=lambda given: by_pair(partial(comprehensive, given.relations.similarity)),
)
