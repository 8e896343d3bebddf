"""comprehensive: how much of the supporting speech the candidate takes up."""

from collections.abc import Sequence

from pipeline.argue.counter.comparison.matches import covered, each_candidate
from pipeline.argue.counter.comparison.similarity import SentenceSimilarity
from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector


class Comprehensive:
    """The mean of the best matches of the supporting speech's sentences."""

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return each_candidate(candidates, lambda candidate: covered(self.similarity(supporting, candidate)))


METHOD = CounterMethod(
    "comprehensive",
    "meets what it says",
    place=150,
    weight=1.0,
    build=lambda given: Comprehensive(given.relations.similarity),
)
