"""A short version of a motion's page."""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.output.formatting import clock, decimal, percent, side
from pipeline.output.markdown.pieces import key_points_table, panels_in_markdown, ranking_table
from pipeline.output.markdown.text import table
from pipeline.output.views.key_points import PointSide
from pipeline.output.views.motion.answers import AnswerCell, AnswerMatrix
from pipeline.output.views.motion.arguments import ArgumentSides
from pipeline.output.views.motion.ranking import RankedPoints
from pipeline.output.views.motion.speeches import Side
from pipeline.output.views.run_data import ReportData
from pipeline.records import Motion

_MOST_POINTS = 10


def motion_markdown(data: ReportData, motion: Motion) -> str:
    """The motion at a glance: who speaks and answers whom, key points, arguments, ranking."""
    return panels_in_markdown(data.motion_page(motion), _PANELS)


def _speeches(sides: Sequence[Side]) -> str:
    rows = (
        (
            side(own.stance),
            each.link.id,
            ", ".join(each.facts.speech.speakers),
            clock(each.facts.duration),
            percent(each.facts.wer),
            f"{each.answers.id} ({decimal(each.score)})" if each.answers else None,
        )
        for own in sides
        for each in own.speeches
    )
    return table(("side", "speech", "speaker", "length", "WER", "answers (score)"), rows)


def _answers(view: AnswerMatrix) -> str:
    header = ("", *(link.id for link in view.opposing))
    rows = ((row.link.id, *(_cell(cell) for cell in row.cells)) for row in view.rows)
    legend = "Supporting speeches down, opposing ones across. ●: the likeliest answer to the supporting speech."
    return f"{table(header, rows)}\n\n{legend}"


def _cell(cell: AnswerCell | None) -> str | None:
    return f"{decimal(cell.score)}{' ●' if cell.is_best else ''}" if cell else None


def _key_points(sides: Sequence[PointSide]) -> str:
    return key_points_table(point for own in sides for point in own.points)


def _arguments(view: ArgumentSides) -> str:
    rows = (
        (
            side(own.stance),
            each.argument.title,
            ", ".join(mention.link.id for mention in each.mentions) or "nobody",
            each.counter,
        )
        for own in view.sides
        for each in own.arguments
    )
    return table(("side", "argument", "mentioned by", "rebutted by"), rows)


def _ranking(view: RankedPoints) -> str:
    parts = [ranking_table(view.points[:_MOST_POINTS])]
    if len(view.points) > _MOST_POINTS:
        parts.append(f"The first {_MOST_POINTS} of {len(view.points)}.")
    return "\n\n".join([*parts, f"This is a model's opinion. {view.agreement}"])


# The panels that are shown, each with the function that turns it into Markdown.
_PANELS: dict[str, Callable[[Any], str]] = {
    "speeches": _speeches,
    "answers": _answers,
    "key-points": _key_points,
    "arguments": _arguments,
    "ranking": _ranking,
}
