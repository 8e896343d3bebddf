"""Tables of key points, and of which points convince."""

from collections.abc import Iterator
from typing import Any

from pipeline.convincing.record import Ranking
from pipeline.export.table import Table, each_of_motion, flag, integer, number, text
from pipeline.keypoints.record import KeyPoint, KeyPoints
from pipeline.run.finished import FinishedRun


def _points(run: FinishedRun) -> Iterator[tuple[str, KeyPoint]]:
    return each_of_motion(run, KeyPoints, lambda record: record.points)


def _key_points(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in _points(run):
        yield motion, point.id, point.stance, point.text, point.speeches, point.speakers, point.minutes


def _key_point_matches(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, point in _points(run):
        for is_answer, matches in ((False, point.matches), (True, point.answers)):
            for each in matches:
                yield (
                    *(motion, point.id, is_answer, each.speech, each.sentence),
                    *(each.said.start, each.said.end, each.said.text, each.score),
                )


def _ranking(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for motion, each in each_of_motion(run, Ranking, lambda record: record.points):
        yield (
            *(motion, each.place, each.strength, each.place_with_delivery, each.strength_with_delivery),
            *(each.source, each.of, each.title, each.stance, each.speech, each.speaker),
            *(each.said.start, each.said.end, each.said.text, each.delivery),
        )


ARGUED = (
    Table(
        "key_points",
        "a key point",
        (
            text("motion", "id of the motion"),
            text("key_point", "its id"),
            text("stance", "pro or con"),
            text("text", "the point"),
            integer("speeches", "speeches that make it"),
            integer("speakers", "speakers who make it"),
            number("minutes", "for how long it is made"),
        ),
        _key_points,
    ),
    Table(
        "key_point_matches",
        "a sentence that makes a key point, or answers it",
        (
            text("motion", "id of the motion"),
            text("key_point", "id of the key point"),
            flag("is_answer", "true: a sentence of the other side on the same matter"),
            text("speech", "id of the speech"),
            integer("sentence", "place of the sentence in the speech"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "the sentence"),
            number("score", "how well it matches"),
        ),
        _key_point_matches,
    ),
    Table(
        "ranking",
        "an argument as somebody made it, by how convincing a model finds it",
        (
            text("motion", "id of the motion"),
            integer("place", "1: the most convincing of its motion"),
            number("strength", "mean probability that it convinces more than another point of the motion"),
            integer("place_with_delivery", "its place if delivery counts, too"),
            number("strength_with_delivery", "its strength if delivery counts, too"),
            text("source", "mention or key point"),
            text("of", "id of the known argument or key point"),
            text("title", "the point"),
            text("stance", "pro or con"),
            text("speech", "id of the speech"),
            text("speaker", "who makes it"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "what is said"),
            number("delivery", "how lively it is said, in standard deviations of its speaker's sentences"),
        ),
        _ranking,
    ),
)
