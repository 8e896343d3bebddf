"""Annotation tiers: labelled stretches of a recording, fitted to what annotation programs accept."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

# No tool shows an interval shorter than this, and some refuse a file that has one.
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
    """The intervals in order, cut so that none overlaps the one before, is empty, or passes the recording's end.

    If the recording ends before an interval begins, its text joins that of the interval before.

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
    """One interval per stretch, with the texts of all that have the same stretch.

    >>> joined([Interval(0, 1, "focus"), Interval(0, 1, "rest")])
    [Interval(start=0, end=1, text='focus; rest')]
    """
    texts: dict[tuple[float, float], list[str]] = {}
    for each in intervals:
        texts.setdefault((each.start, each.end), []).append(each.text)
    return [Interval(start, end, "; ".join(together)) for (start, end), together in texts.items()]
