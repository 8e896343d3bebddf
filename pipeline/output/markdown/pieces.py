"""Parts in Markdown that several pages show, one function for each."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pipeline.output.formatting import clock, counted, decimal, duration, share, side
from pipeline.output.markdown.text import table
from pipeline.output.views.key_points import PointInSpeech, ShownPoint
from pipeline.output.views.motion.ranking import PointInRanking
from pipeline.output.views.page import Page

_MOST_CHARACTERS = 240


def panels_in_markdown(page: Page, shown: Mapping[str, Callable[[Any], str]]) -> str:
    """The panels that are in `shown`, in the order of the page, each under its title."""
    return "\n\n".join(f"## {title}\n\n{shown[name](view)}" for name, title, view in page if name in shown)


def key_points_table(points: Iterable[ShownPoint]) -> str:
    """A table of key points: how many speeches make each, which ones, and which ones answer it."""
    header = ("side", "key point", "speeches", "made by", "answered by")  # a page of the Prefect UI is narrow
    rows = (
        (
            side(each.point.stance),
            each.point.text,
            f"{each.point.speeches} of {each.of_speeches}, {counted(each.point.speakers, 'speaker')}, "
            f"{duration(60 * each.point.minutes)}",
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
    """A table of points, ordered by how convincing a model finds them, with where they were said."""
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
