"""The debate on one motion as a graph: what was said, the points that it makes, and what supports or attacks what."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pipeline.export.speech import UNKNOWN
from pipeline.export.table import recording_of
from pipeline.formats import ArgumentRelation
from pipeline.keypoints import KeyPoint, KeyPointMatch, KeyPoints
from pipeline.mentions import Mentions
from pipeline.records import Argument, Motion, Passage, Stance
from pipeline.run.finished import FinishedRun


class Said(NamedTuple):
    """A passage of a recording, who says it, and in which speech. Times are in seconds."""

    recording: str
    start: float
    end: float
    speaker: str
    text: str
    speech: str


class Point(NamedTuple):
    """What can be argued in a debate: the motion, which has no stance, a key point, or a known argument."""

    id: str
    text: str
    kind: Literal["motion", "key point", "argument"]
    stance: Stance | None


class Link(NamedTuple):
    """A passage or point supports, attacks or rephrases a point."""

    source: Said | Point
    relation: ArgumentRelation
    target: Point


@dataclass
class ArgumentGraph:
    """Points, and the links between them and what was said. Each link occurs once."""

    motion: Point
    points: dict[str, Point] = field(default_factory=dict)
    links: dict[Link, None] = field(default_factory=dict)

    @property
    def said(self) -> list[Said]:
        """Every passage with a link, by recording and time."""
        return sorted({link.source for link in self.links if isinstance(link.source, Said)})

    def to(self, point: Point, relation: ArgumentRelation) -> Iterator[Said | Point]:
        """What supports, attacks or rephrases the point."""
        return (link.source for link in self.links if link.target == point and link.relation == relation)

    def add(self, point: Point) -> None:
        """Add a point. It supports the motion if it is pro, and attacks it if it is con."""
        self.points[point.id] = point
        if point.stance:
            self.link(point, "support" if point.stance == "pro" else "attack", self.motion)

    def link(self, source: Said | Point, relation: ArgumentRelation, target: Point) -> None:
        """Add a link."""
        self.links[Link(source, relation, target)] = None


def argument_graph(run: FinishedRun, motion: Motion) -> ArgumentGraph:
    """The graph of a motion: its key points with what makes and answers them, and the known arguments mentioned."""
    graph = ArgumentGraph(Point(motion.id, motion.text, "motion", None))
    if record := run.of_motion(KeyPoints, motion.id):
        _add_key_points(graph, run, record)
    _add_mentions(graph, run, motion)
    return graph


def _add_key_points(graph: ArgumentGraph, run: FinishedRun, record: KeyPoints) -> None:
    known = run.arguments_on(record.motion)
    points = {point.id: _key_point(point, known) for point in record.points}
    made_by: dict[tuple[str, int], list[KeyPoint]] = {}
    for key_point in record.points:
        graph.add(points[key_point.id])
        for match in key_point.matches:
            made_by.setdefault((match.speech, match.sentence), []).append(key_point)
    for key_point in record.points:
        point = points[key_point.id]
        for match in (*key_point.matches, *key_point.concessions):
            graph.link(_said(run, match), "rephrase", point)
        for match in key_point.answers:
            graph.link(_said(run, match), "attack", point)
            # A sentence that answers this point and makes another one: the other point attacks this one.
            for other in made_by.get((match.speech, match.sentence), ()):
                if other.stance != key_point.stance:
                    graph.link(points[other.id], "attack", point)


def plain(text: str) -> str:
    """The words of a text, by which two points are the same."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _key_point(point: KeyPoint, known: Iterable[Argument]) -> Point:
    """A key point. One with the words of a known argument of its side is that argument."""
    for argument in known:
        if argument.stance == point.stance and plain(argument.title) == plain(point.text):
            return Point(f"argument {argument.id}", argument.title, "argument", argument.stance)
    return Point(f"key point {point.id}", point.text, "key point", point.stance)


def _add_mentions(graph: ArgumentGraph, run: FinishedRun, motion: Motion) -> None:
    counters: dict[str, str] = {}
    points: dict[str, Point] = {}
    for speech in run.speeches:
        mentions = run.speech(speech.id).get(Mentions) if speech.motion == motion.id else None
        for mention in mentions.mentions if mentions else ():
            if not mention.mentioned:
                continue
            point = Point(f"argument {mention.argument}", mention.title, "argument", mention.stance)
            graph.add(points.setdefault(mention.argument, point))
            if mention.counter:
                counters[mention.argument] = mention.counter
            for carrier in mention.carriers[:1]:
                said = _passage(run, speech.id, carrier.said, "; ".join(speech.speakers))
                graph.link(said, "rephrase", point)
    for argument, counter in counters.items():
        if counter in points:
            graph.link(points[counter], "attack", points[argument])


def _said(run: FinishedRun, match: KeyPointMatch) -> Said:
    return _passage(run, match.speech, match.said, match.speaker)


def _passage(run: FinishedRun, speech: str, said: Passage, speaker: str | None) -> Said:
    return Said(recording_of(run, speech), said.start, said.end, speaker or UNKNOWN, said.quoted, speech)
