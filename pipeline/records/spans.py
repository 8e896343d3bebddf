"""Spans of time, and how two of them relate."""

from typing import TYPE_CHECKING

from pipeline.records.base import Record, Seconds


class Timed:
    """Anything with a start and an end in seconds: words, turns, sentences, passages.

    >>> word, turn = TimeSpan(start=1.5, end=2.0), TimeSpan(start=1.0, end=1.75)
    >>> word.overlap(turn), word.gap(turn), word & turn
    (0.25, 0.0, TimeSpan(start=1.5, end=1.75))
    >>> 1.2 in turn, word in turn
    (True, False)
    """

    if TYPE_CHECKING:  # the records that are timed have these fields
        start: Seconds
        end: Seconds

    @property
    def duration(self) -> float:
        """Seconds from start to end; 0 if the end comes first."""
        return max(0.0, self.end - self.start)

    @property
    def middle(self) -> float:
        """The time half way between start and end."""
        return (self.start + self.end) / 2

    def __contains__(self, other: "float | Timed") -> bool:
        """Whether a time, or all of another span, is in this span. Its ends belong to it."""
        first, last = (other.start, other.end) if isinstance(other, Timed) else (other, other)
        return self.start <= first and last <= self.end

    def overlap(self, other: "Timed") -> float:
        """How many seconds the two have in common."""
        return max(0.0, min(self.end, other.end) - max(self.start, other.start))

    def gap(self, other: "Timed") -> float:
        """How many seconds are between the two."""
        return max(0.0, self.start - other.end, other.start - self.end)

    def __and__(self, other: "Timed") -> "TimeSpan | None":
        """The span that the two have in common, or None."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return TimeSpan(start=start, end=end) if start < end else None


class TimeSpan(Timed, Record):
    """A span of time from start to end, in seconds."""

    start: Seconds
    end: Seconds
