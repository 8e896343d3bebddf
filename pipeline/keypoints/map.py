"""The argument map: the key points of both sides, who makes them, and which of the other side's points answer them."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.keypoints.show import PointInSpeech, PointSide, ShownPoint
from pipeline.records import Motion
from pipeline.report.formatting import counted
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData

# Sizes in the units of the drawing. It has two columns of boxes, with lines between them.
WIDTH, BOX, MARGIN = 1000, 370, 12
_LINE_HEIGHT, _LETTERS, _MOST_LINES = 18, 42, 4
_CELL, _GAP = 13, 16
# The width of "other side: 25" beside the cells.
_ANSWERED = 110
# More lines could not be told apart: from one point, and from one side (but always the strongest of every point).
_MOST_LINKS, _MOST_OF_SIDE = 3, 8
# A speech that makes a point at most so many sentences from its answer to another makes it in answer to that one.
_MOST_SENTENCES_APART = 2


@dataclass(frozen=True)
class Cell:
    """A square for one speech of the side, filled if it makes the point."""

    x: float
    y: float
    size: float
    label: str
    is_made: bool


@dataclass(frozen=True)
class Box:
    """The box of a key point. `answered` is how many speeches answer it."""

    anchor: str
    text: str
    stance: str
    x: float
    y: float
    height: float
    lines: tuple[str, ...]
    cells: tuple[Cell, ...]
    answered: int


@dataclass(frozen=True)
class Link:
    """A line from a point to the point of the other side that answers it. It is wider if more speeches do so.

    `ends` are the anchors of both boxes. `is_known` says that no sentences show it, and the manifest does.
    """

    path: str
    ends: tuple[str, str]
    stance: str
    width: float
    summary: str
    is_known: bool = False


@dataclass(frozen=True)
class ArgumentMap:
    """The drawing: its boxes and the lines between them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    height: float
    box_width: int = BOX
    width: int = WIDTH

    def answers(self, box: Box) -> tuple[tuple[Box, Link], ...]:
        """The points that answer a point, with the lines that say so."""
        by_anchor = {each.anchor: each for each in self.boxes}
        return tuple((by_anchor[link.ends[1]], link) for link in self.links if link.ends[0] == box.anchor)


def _view(data: ReportData, motion: Motion) -> ArgumentMap | None:
    sides = {own.side.stance: own for own in data.motion_page(motion)["key-points"]}
    if not {"pro", "con"} <= sides.keys():
        return None
    labels = {
        stance: [data.links[own.speech.id].label for own in data.facts_on(motion.id) if own.speech.stance == stance]
        for stance in ("pro", "con")
    }
    known = [(speech, by.known) for speech, by in data.answering(motion.id).items() if by.known]
    return argument_map(sides["pro"], sides["con"], labels["pro"], labels["con"], known)


def argument_map(
    pro: PointSide,
    con: PointSide,
    pro_speeches: Sequence[str],
    con_speeches: Sequence[str],
    known: Sequence[tuple[str, str]] = (),
) -> ArgumentMap:
    """The map of two sides, each with the labels of its speeches. Points that most speeches make are on top.

    `known` has (a speech, the one that it answers) by the manifest. If no sentences show that, it is a dashed line.
    """
    left, right = _strongest_first(pro), _strongest_first(con)
    boxes = _column(left, "pro", MARGIN, pro_speeches), _column(right, "con", WIDTH - MARGIN - BOX, con_speeches)
    links = [
        *_links(left, boxes[0], right, boxes[1], "con"),
        *_links(right, boxes[1], left, boxes[0], "pro"),
    ]
    both = list(zip((*left, *right), (*boxes[0], *boxes[1]), strict=True))
    links += _known_links(both, known, {link.ends for link in links})
    height = max(box.y + box.height for column in boxes for box in column) + MARGIN
    return ArgumentMap((*boxes[0], *boxes[1]), tuple(links), height)


def _strongest_first(side: PointSide) -> list[ShownPoint]:
    return sorted(side.points, key=lambda shown: -shown.point.speeches)


def _column(points: Sequence[ShownPoint], stance: str, x: float, speeches: Sequence[str]) -> list[Box]:
    boxes: list[Box] = []
    y = float(MARGIN)
    for shown in points:
        lines = textwrap.wrap(shown.point.quoted, _LETTERS, max_lines=_MOST_LINES, placeholder=" …") or ["…"]
        under = y + MARGIN + len(lines) * _LINE_HEIGHT + 4
        cells = _cells(shown, x + MARGIN, under, speeches)
        height = under + (_CELL if cells else 0) + MARGIN - y
        boxes.append(
            Box(shown.anchor, shown.point.quoted, stance, x, y, height, tuple(lines), cells, len(shown.answered_in))
        )
        y += height + _GAP
    return boxes


def _cells(shown: ShownPoint, x: float, y: float, speeches: Sequence[str]) -> tuple[Cell, ...]:
    """One cell per speech of the side, so small that all fit into one row."""
    step = min(_CELL + 3.0, (BOX - 2 * MARGIN - _ANSWERED) / max(len(speeches), 1))
    made_in = {speech.link.label for speech in shown.made_in}
    size = min(_CELL, 0.8 * step)
    return tuple(Cell(x + index * step, y, size, label, label in made_in) for index, label in enumerate(speeches))


def _links(
    points: Sequence[ShownPoint], boxes: Sequence[Box], others: Sequence[ShownPoint], far: Sequence[Box], stance: str
) -> list[Link]:
    """Lines from each point to points of the other side that answer it. `stance` is the side that answers."""
    ranked: list[tuple[int, int, Link]] = []
    for shown, box in zip(points, boxes, strict=True):
        answers = _sentences(shown.answered_in)
        counts = [len(_near(answers, _sentences(other.made_in))) for other in others]
        strongest = sorted((index for index, count in enumerate(counts) if count), key=lambda index: -counts[index])
        for rank, index in enumerate(strongest[:_MOST_LINKS]):
            how = counted(counts[index], "speech", "speeches")
            summary = f"{how}: “{others[index].point.text}” beside “{shown.point.text}”"
            ends = (box.anchor, far[index].anchor)
            width = 1 + min(counts[index], 8) / 2
            ranked.append((rank, counts[index], Link(_curve(box, far[index], stance), ends, stance, width, summary)))
    ranked.sort(key=lambda entry: (entry[0], -entry[1]))
    strongest_of_each = sum(rank == 0 for rank, _, _ in ranked)
    return [link for _, _, link in ranked[: max(strongest_of_each, _MOST_OF_SIDE)]]


def _sentences(speeches: Sequence[PointInSpeech]) -> set[tuple[str, int]]:
    """(speech, number) of each sentence of these matches."""
    return {(speech.link.id, match.sentence) for speech in speeches for match in speech.matches}


def _known_links(
    points: Sequence[tuple[ShownPoint, Box]], known: Sequence[tuple[str, str]], drawn: set[tuple[str, str]]
) -> Iterator[Link]:
    """A line between the leading points of two speeches, if the manifest says that one answers the other.

    Pairs of which another line connects any points are left out.
    """

    def boxes_of(speech: str) -> list[Box]:
        return [box for shown, box in points if any(own.link.id == speech for own in shown.made_in)]

    drawn = drawn | {(other, one) for one, other in drawn}
    for speech, answered in known:
        from_boxes, to_boxes = boxes_of(answered), boxes_of(speech)
        pairs = [(one, other) for one in from_boxes for other in to_boxes if one.stance != other.stance]
        if pairs and not any((one.anchor, other.anchor) in drawn for one, other in pairs):
            one, other = pairs[0]
            summary = f"{speech} answers {answered}: the manifest says so"
            yield Link(_curve(one, other, other.stance), (one.anchor, other.anchor), other.stance, 1.5, summary, True)
            drawn |= {(one.anchor, other.anchor), (other.anchor, one.anchor)}


def _near(answers: set[tuple[str, int]], others: set[tuple[str, int]]) -> set[str]:
    """The speeches that answer one point and make another at most two sentences apart."""
    return {
        speech
        for speech, at in answers
        for other, where in others
        if speech == other and abs(at - where) <= _MOST_SENTENCES_APART
    }


def _curve(box: Box, far: Box, stance: str) -> str:
    """The path from the inner edge of one box to that of the other. The two directions are drawn a little apart."""
    offset = 5 if stance == "con" else -5
    (left, right) = (box, far) if box.x < far.x else (far, box)
    x1, x2 = left.x + BOX, right.x
    y1, y2 = (side.y + side.height / 2 + offset for side in (left, right))
    bend = (x2 - x1) / 2
    return f"M{x1:.0f} {y1:.0f}C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"


PANEL = Panel(view=_view, title="Argument map")
