"""opposes: how much of the supporting speech the candidate contradicts."""

from collections.abc import Sequence

from pipeline.argue.counter.comparison.matches import covered, each_candidate
from pipeline.argue.counter.comparison.opposition import Opposition
from pipeline.argue.counter.comparison.similarity import SentenceSimilarity
from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector


class Opposes:
    """Each sentence's best match among sentences that contradict it rather than repeat it.

    A sentence that only repeats counts half.
    """

    def __init__(self, similarity: SentenceSimilarity, opposition: Opposition) -> None:
        self.similarity = similarity
        self.opposition = opposition

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return each_candidate(
            candidates,
            lambda candidate: covered(
                self.similarity(supporting, candidate) * (1 + self.opposition(supporting, candidate)) / 2
            ),
        )


METHOD = CounterMethod(
    "opposes",
    "contradicts it",
    place=180,
    weight=1.0,
    build=lambda given: Opposes(given.relations.similarity, given.relations.opposition),
)
