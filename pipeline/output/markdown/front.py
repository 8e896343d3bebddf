"""A short version of the front page."""

from collections.abc import Callable
from typing import Any

from pipeline.output.formatting import duration, number, side
from pipeline.output.markdown.text import bullets, table
from pipeline.output.views.front.failures import Failures
from pipeline.output.views.front.motions import MotionCard, Motions
from pipeline.output.views.front.skips import Skips
from pipeline.output.views.front.stages import Stages
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.tile import Tiles


def front_markdown(data: ReportData) -> str:
    """The run at a glance: figures, what failed or was skipped and why, motions, stages."""
    views = ((_PANELS[name], view) for name, view in data.front_page if name in _PANELS)
    return "\n\n".join(f"## {view.title}\n\n{shown(view)}" if view.title else shown(view) for shown, view in views)


def _overview(view: Tiles) -> str:
    return "\n".join(f"- **{each.name}**: {each.value}{f' ({each.note})' if each.note else ''}" for each in view.tiles)


def _failures(view: Failures) -> str:
    return bullets(view.lines)


def _motions(view: Motions) -> str:
    header = ("motion", "speeches", "leading key points", "most disputed")
    return table(header, (_motion(card) for card in view.cards))


def _motion(card: MotionCard) -> tuple[str, str, str, str | None]:
    speeches = ", ".join(f"{count} {side(stance)}" for stance, count in card.speeches)
    leading = (f"{side(own.stance)}: {own.points[0].point.text}" for own in card.sides if own.points)
    return card.link.text, speeches, "; ".join(leading), card.disputed.point.text if card.disputed else None


def _stages(view: Stages) -> str:
    rows = (
        (stage.name, duration(stage.seconds), number(stage.speed), stage.made, stage.skipped) for stage in view.rows
    )
    models = ((stage.name, model.name, model.digest[:12]) for stage in view.rows for model in stage.models)
    return (
        table(("stage", "time", "× realtime", "made", "skipped"), rows)
        + "\n\n## Models\n\n"
        + table(("stage", "model", "digest or version"), models)
    )


def _skips(view: Skips) -> str:
    header = ("stage", "why", "how many", "such as")
    return table(header, ((each.stage, each.reason, each.count, each.example) for each in view.reasons))


# The panels that are shown, each with the function that turns it into Markdown. Their order is that of the page.
_PANELS: dict[str, Callable[[Any], str]] = {
    "overview": _overview,
    "failures": _failures,
    "motions": _motions,
    "stages": _stages,
    "skips": _skips,
}
