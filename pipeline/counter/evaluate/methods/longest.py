"""longest: the longer the candidate, the better."""

from pipeline.counter.method import CounterMethod, by_pair
from pipeline.counter.texts import SpeechText


def words(supporting: SpeechText, candidate: SpeechText) -> float:
    """The number of a candidate's words."""
    return sum(map(len, candidate.stems))


METHOD = CounterMethod(
    "longest",
    "a longer speech",
    place=20,
    build=lambda taught: by_pair(words),
)
