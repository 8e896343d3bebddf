"""Annotation tiers: labelled intervals of a recording, as annotation programs accept them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipeline.grouping import grouped

# No program shows a shorter interval, and some refuse a file that has one.
_SHORTEST_MS = 1


class Interval(NamedTuple):
    """A text from start to end, in seconds."""

    start: float
    end: float
    text: str


class Tier(NamedTuple):
    """Intervals of one kind, in order and without overlap, at whole milliseconds."""

    name: str
    intervals: tuple[Interval, ...]


def without_overlap(intervals: Iterable[Interval], duration: float) -> tuple[Interval, ...]:
    """The intervals in order, cut so that none overlaps the one before, is empty, or ends after the recording.

    The text of an interval that begins after the end of the recording is added to the interval before.

    >>> without_overlap([Interval(0, 2, "one"), Interval(1.5, 3, "two")], duration=2.5)
    (Interval(start=0.0, end=2.0, text='one'), Interval(start=2.0, end=2.5, text='two'))
    """
    last = round(duration * 1000)
    fitted: list[tuple[int, int, str]] = []
    for each in sorted(intervals, key=lambda each: (each.start, each.end)):
        begins = max(round(each.start * 1000), fitted[-1][1] if fitted else 0)
        ends = min(max(round(each.end * 1000), begins + _SHORTEST_MS), last)
        if ends > begins:
            fitted.append((begins, ends, each.text))
        elif fitted:
            fitted[-1] = (*fitted[-1][:2], f"{fitted[-1][2]} {each.text}")
    return tuple(Interval(start / 1000, end / 1000, text) for start, end, text in fitted)


def joined(intervals: Sequence[Interval]) -> list[Interval]:
    """The intervals, with those of the same start and end joined into one.

    >>> joined([Interval(0, 1, "focus"), Interval(0, 1, "rest")])
    [Interval(start=0, end=1, text='focus; rest')]
    """
    texts = grouped(((each.start, each.end), each.text) for each in intervals)
    return [Interval(start, end, "; ".join(together)) for (start, end), together in texts.items()]


# Text for XML documents.

# What XML 1.0 cannot contain: control characters, halves of surrogate pairs, and two code points without a character.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """The text with a space for every character that XML 1.0 cannot contain.

    >>> xml_text("a\\x00b")
    'a b'
    """
    return _FORBIDDEN.sub(" ", text)
