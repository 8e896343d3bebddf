"""Short versions of the front page and of a motion's page, as Markdown."""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.convincing.show import RankedPoints, ranking_table
from pipeline.counter.show import AnswerCell, AnswerMatrix
from pipeline.keypoints.show import PointSide, key_points_table
from pipeline.mentions.show import ArgumentSides
from pipeline.records import Motion
from pipeline.report.formatting import clock, decimal, duration, number, percent, side
from pipeline.report.front import MotionCard, SkipReason, StageRow
from pipeline.report.markdown import bullets, panels_in_markdown, table
from pipeline.report.page import Tile
from pipeline.report.panels import Side
from pipeline.report.run_data import ReportData

# A short version of the front page.


def front_markdown(data: ReportData) -> str:
    """The run at a glance: figures, what failed or was skipped and why, motions, stages."""
    return panels_in_markdown(data.front_page, _PANELS)


def _overview(tiles: Sequence[Tile]) -> str:
    return "\n".join(f"- **{each.name}**: {each.value}{f' ({each.note})' if each.note else ''}" for each in tiles)


def _motions(cards: Sequence[MotionCard]) -> str:
    header = ("motion", "speeches", "leading key points", "most disputed")
    return table(header, map(_motion, cards))


def _motion(card: MotionCard) -> tuple[str, str, str, str | None]:
    speeches = ", ".join(f"{count} {side(stance)}" for stance, count in card.speeches)
    leading = (f"{side(own.stance)}: {own.points[0].point.text}" for own in card.sides if own.points)
    return card.link.text, speeches, "; ".join(leading), card.disputed.point.text if card.disputed else None


def _stages(stages: Sequence[StageRow]) -> str:
    rows = ((stage.name, duration(stage.seconds), number(stage.speed), stage.made, stage.skipped) for stage in stages)
    models = ((stage.name, name, digest[:12]) for stage in stages for name, digest in stage.models)
    return (
        table(("stage", "time", "× realtime", "made", "skipped"), rows)
        + "\n\n## Models\n\n"
        + table(("stage", "model", "digest or version"), models)
    )


def _skips(reasons: Sequence[SkipReason]) -> str:
    header = ("stage", "why", "how many", "such as")
    return table(header, ((each.stage, each.reason, each.count, each.example) for each in reasons))


# The panels that are shown, each with the function that turns it into Markdown.
_PANELS: dict[str, Callable[[Any], str]] = {
    "overview": _overview,
    "failures": bullets,
    "motions": _motions,
    "stages": _stages,
    "skips": _skips,
}


# A short version of a motion's page.

_MOST_POINTS = 10


def motion_markdown(data: ReportData, motion: Motion) -> str:
    """The motion at a glance: who speaks and answers whom, key points, arguments, ranking."""
    return panels_in_markdown(data.motion_page(motion), _MOTION_PANELS)


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
_MOTION_PANELS: dict[str, Callable[[Any], str]] = {
    "speeches": _speeches,
    "answers": _answers,
    "key-points": _key_points,
    "arguments": _arguments,
    "ranking": _ranking,
}
