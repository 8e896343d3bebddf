"""What several pages show in Markdown: one function for each."""

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pipeline.output.formatting import NOTHING, clock, decimal, duration, share, side
from pipeline.output.views.key_points import PointInSpeech, ShownPoint
from pipeline.output.views.motion.ranking import PointInRanking
from pipeline.printable import printable

_MOST_CHARACTERS = 240
# What Markdown takes for a mark inside of a line, an address that it would make a link of included. An underscore
# between letters is none.
_MARKS = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])|(?<=:)/(?=/)|(?<=www)\.|(?<=\w)@(?=\w)", re.IGNORECASE)
# What it takes for the beginning of a heading or a list.
_BLOCK = re.compile(r"^(\d*)([#+=-]+|[.)])(?=\s|$)")


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table. Header and cells are escaped."""
    lines = [_row(header), "|" + " --- |" * len(header), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(escaped(value) for value in cells) + " |"


def escaped(value: Any) -> str:
    """A value as plain text of one line: it makes no link, image, HTML, other cell or other mark.

    >>> escaped("[x](javascript:y)"), escaped("schools_pro_anna"), escaped(None)
    ('\\\\[x\\\\](javascript:y)', 'schools_pro_anna', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:z.2f}"
    text = _MARKS.sub(r"\\\g<0>", printable(" ".join(str(value).split())))
    return html.escape(_BLOCK.sub(r"\1\\\2", text), quote=False)


def bullets(lines: Iterable[str]) -> str:
    """The lines as a list."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def key_points_table(points: Iterable[ShownPoint]) -> str:
    """Key points with how many make them, who makes them and who answers them."""
    header = ("side", "key point", "speeches", "speakers", "time", "made by", "answered by")
    rows = (
        (
            side(each.point.stance),
            each.point.text,
            f"{each.point.speeches} of {each.of_speeches}",
            each.point.speakers,
            duration(60 * each.point.minutes),
            speeches(each.made_in),
            speeches(each.answered_in) or "nobody",
        )
        for each in points
    )
    return table(header, rows)


def speeches(found: Iterable[PointInSpeech]) -> str:
    """The ids of the speeches."""
    return ", ".join(each.link.id for each in found)


def ranking_table(points: Iterable[PointInRanking]) -> str:
    """Points by how convincing a model finds them, and where they were said."""
    header = ("place", "with delivery", "strength", "side", "point", "by", "at", "delivery", "said")
    rows = (
        (
            each.point.place,
            each.point.place_with_delivery,
            share(each.point.strength),
            side(each.point.stance),
            each.point.title,
            f"{each.link.id} ({each.point.speaker})" if each.point.speaker else each.link.id,
            clock(each.point.said.start),
            decimal(each.point.delivery),
            _shortened(each.point.said.text),
        )
        for each in points
    )
    return table(header, rows)


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS].rsplit(" ", 1)[0] + " …"
