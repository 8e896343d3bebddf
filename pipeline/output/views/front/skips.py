"""What was skipped, and why."""

from dataclasses import dataclass

from pipeline.grouping import grouped
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData


@dataclass(frozen=True)
class SkipReason:
    """Why a stage was skipped, for how many speeches or motions, and the first of them."""

    stage: str
    reason: str
    count: int
    example: str


def _view(data: ReportData) -> tuple[SkipReason, ...]:
    stages = (*((each.speech.id, each.stages) for each in data.facts), *data.motion_stages.items())
    found = grouped(
        ((each.stage, each.skipped), name) for name, own in stages for each in own.values() if each.skipped is not None
    )
    return tuple(SkipReason(stage, reason, len(names), names[0]) for (stage, reason), names in found.items())


PANEL = Panel(place=60, view=_view, title="Skipped, and why")
