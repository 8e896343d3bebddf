"""Time, speed and models of every stage."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.stages import stage_names


@dataclass(frozen=True)
class StageRow:
    """The time of a stage. `share` is relative to the stage that took longest.

    `models` are the names of its models, each with its digest or version.
    """

    name: str
    seconds: float
    share: float
    speed: float | None
    made: int
    skipped: int
    models: tuple[tuple[str, str], ...]


def _view(data: ReportData) -> tuple[StageRow, ...]:
    return tuple(_rows(data))


def _rows(data: ReportData) -> Iterator[StageRow]:
    stages = [*(each.stages for each in data.facts), *data.motion_stages.values()]
    heard = sum(each.duration or 0.0 for each in data.facts)
    found = {name: [each[name] for each in stages if name in each] for name in stage_names()}
    took = {name: sum(stage.seconds for stage in own) for name, own in found.items()}
    longest = max(took.values(), default=0.0) or 1.0
    for name, own in found.items():
        if own:
            skipped = sum(stage.skipped is not None for stage in own)
            models = tuple(sorted({model for stage in own for model in stage.model.items()}))
            speed = heard / took[name] if took[name] and heard else None
            yield StageRow(name, took[name], took[name] / longest, speed, len(own) - skipped, skipped, models)


PANEL = Panel(place=50, view=_view, title="Stages")
