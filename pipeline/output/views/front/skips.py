"""What was skipped, and why."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData


@dataclass(frozen=True)
class SkipReason:
    """Why a stage was skipped, for how many speeches or motions, and the first of them."""

    stage: str
    reason: str
    count: int
    example: str


@dataclass(frozen=True)
class Skips:
    """One line per reason."""

    reasons: tuple[SkipReason, ...]
    title = "Skipped, and why"


def _view(data: ReportData) -> Skips | None:
    reasons = tuple(_reasons(data))
    return Skips(reasons) if reasons else None


def _reasons(data: ReportData) -> Iterator[SkipReason]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, own in (*((each.speech.id, each.stages) for each in data.facts), *data.motion_stages.items()):
        for each in own.values():
            if each.skipped is not None:
                found.setdefault((each.stage, each.skipped), []).append(name)
    for (stage, reason), names in found.items():
        yield SkipReason(stage, reason, len(names), names[0])


PANEL = Panel(place=60, view=_view)
