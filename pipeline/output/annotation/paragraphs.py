"""A speech as paragraphs of one speaker each. Long ones are cut at pauses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from pipeline.output.annotation.speech import AnnotatedSpeech
from pipeline.records import Sentence

# A paragraph with more words is cut at its longest pause. So is one with a silence of at least so many seconds.
_MOST_WORDS = 120
_SILENCE = 3.0
# The name of a speaker whom nobody knows.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Paragraph:
    """Sentences that belong together. `speaker` is empty if the whole speech has one speaker."""

    start: float
    speaker: str
    text: str


def paragraphs(speech: AnnotatedSpeech) -> list[Paragraph]:
    """The speech as paragraphs. A new one begins with each speaker, after a silence, and when one would be too long."""
    several = len({sentence.speaker for sentence in speech.sentences}) > 1
    return [
        Paragraph(piece[0].start, (speaker or UNKNOWN) if several else "", " ".join(each.text for each in piece))
        for speaker, turn in groupby(speech.sentences, key=lambda sentence: sentence.speaker)
        for piece in _pieces(list(turn))
    ]


def _pieces(sentences: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """The sentences in pieces, cut at their longest pause for as long as a piece is too long."""
    place, pause = _longest_pause(sentences)
    if place and (pause >= _SILENCE or sum(each.last - each.first for each in sentences) > _MOST_WORDS):
        yield from _pieces(sentences[:place])
        yield from _pieces(sentences[place:])
    else:
        yield sentences


def _longest_pause(sentences: Sequence[Sentence]) -> tuple[int, float]:
    """(index of the sentence after the longest pause, its seconds). Of equal pauses, the nearest to the middle."""
    pauses = [
        (round(after.start - before.end, 2), place) for place, (before, after) in enumerate(pairwise(sentences), 1)
    ]
    middle = len(sentences) / 2
    pause, place = max(pauses, key=lambda each: (each[0], -abs(each[1] - middle)), default=(0.0, 0))
    return place, pause
