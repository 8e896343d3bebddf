"""Key points with who makes them and who answers them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.grouping import grouped
from pipeline.output.formatting import counted, duration
from pipeline.output.views.links import SpeechLink
from pipeline.records import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide


@dataclass(frozen=True)
class PointInSpeech:
    """A speech, and its sentences that make a key point or answer it, in order of time."""

    link: SpeechLink
    matches: tuple[KeyPointMatch, ...]


@dataclass(frozen=True)
class ShownPoint:
    """A key point, with the speeches that make and answer it. `of_speeches` is how many speeches its side has."""

    point: KeyPoint
    of_speeches: int
    made_in: tuple[PointInSpeech, ...]
    answered_in: tuple[PointInSpeech, ...]
    conceded_in: tuple[PointInSpeech, ...] = ()

    @property
    def is_aside(self) -> bool:
        """Whether only one sentence makes it. Then a share of the speeches would be misleading."""
        return len(self.point.matches) < 2

    @property
    def share(self) -> float:
        """The share of its side's speeches that make it."""
        return self.point.speeches / self.of_speeches if self.of_speeches else 0.0

    @property
    def anchor(self) -> str:
        """The id of its element on the motion's page."""
        return f"point-{'-'.join(self.point.id.split())}"

    @property
    def clips(self) -> int:
        """How many of the passages that make it can be played."""
        return sum(len(each.matches) for each in self.made_in if each.link.audio)

    @property
    def prevalence(self) -> str:
        """In how many speeches, by how many speakers and for how long it is made."""
        if self.is_aside:
            return f"made once, {duration(60 * self.point.minutes)}"
        several = self.of_speeches > 1
        speeches = f"{self.point.speeches} of {self.of_speeches} speeches" if several else "the only speech"
        return f"{speeches}, {counted(self.point.speakers, 'speaker')}, {duration(60 * self.point.minutes)}"


@dataclass(frozen=True)
class PointSide:
    """The key points of one side, and the side's numbers."""

    side: KeyPointSide
    points: tuple[ShownPoint, ...]


def point_sides(record: KeyPoints, link_of: Callable[[str], SpeechLink] = SpeechLink) -> Iterator[PointSide]:
    """The sides of the record, each with its points. `link_of` returns the link of a speech."""
    for side in record.sides:
        points = (point for point in record.points if point.stance == side.stance)
        yield PointSide(side, tuple(_shown(point, side.speeches, link_of) for point in points))


def _shown(point: KeyPoint, of_speeches: int, link_of: Callable[[str], SpeechLink]) -> ShownPoint:
    return ShownPoint(
        point,
        of_speeches,
        made_in=_by_speech(point.matches, link_of),
        answered_in=_by_speech(point.answers, link_of),
        conceded_in=_by_speech(point.concessions, link_of),
    )


def _by_speech(matches: Sequence[KeyPointMatch], link_of: Callable[[str], SpeechLink]) -> tuple[PointInSpeech, ...]:
    found = grouped((match.speech, match) for match in matches)
    return tuple(
        PointInSpeech(link_of(speech), tuple(sorted(own, key=lambda match: match.said.start)))
        for speech, own in found.items()
    )
