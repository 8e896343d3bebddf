"""opposes: how much of the supporting speech the candidate contradicts."""

from functools import partial

from pipeline.counter.comparison import Relations, covered
from pipeline.counter.method import CounterMethod, by_pair
from pipeline.counter.texts import SpeechText


def opposes(relations: Relations, supporting: SpeechText, candidate: SpeechText) -> float:
    """Each sentence's best match among sentences that contradict it rather than repeat it.

    A sentence that only repeats counts half.
    """
    opposed = 1 + relations.opposition(supporting, candidate)
    return covered(relations.similarity(supporting, candidate) * opposed / 2)


METHOD = CounterMethod(
    "opposes",
    "contradicts it",
    place=180,
    weight=1.0,
    build=lambda given: by_pair(partial(opposes, given.relations)),
)
