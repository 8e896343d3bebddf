"""A short version of the front page."""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.output.formatting import duration, number, side
from pipeline.output.markdown.pieces import panels_in_markdown
from pipeline.output.markdown.text import bullets, table
from pipeline.output.views.front.motions import MotionCard
from pipeline.output.views.front.skips import SkipReason
from pipeline.output.views.front.stages import StageRow
from pipeline.output.views.page import Tile
from pipeline.output.views.run_data import ReportData


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
