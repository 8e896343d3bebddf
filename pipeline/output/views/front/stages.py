"""Time, speed and models of every stage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import StageFacts
from pipeline.stages import stage_names


@dataclass(frozen=True)
class ModelUsed:
    """A model by its name and its digest or version."""

    name: str
    digest: str


@dataclass(frozen=True)
class StageRow:
    """The time of a stage. `share` is relative to the stage that took longest."""

    name: str
    seconds: float
    share: float
    speed: float | None
    made: int
    skipped: int
    models: tuple[ModelUsed, ...]


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
            speed = heard / took[name] if took[name] and heard else None
            yield StageRow(name, took[name], took[name] / longest, speed, len(own) - skipped, skipped, _models(own))


def _models(stages: Sequence[StageFacts]) -> tuple[ModelUsed, ...]:
    pairs: dict[tuple[str, str], Any] = {item: None for stage in stages for item in stage.model.items()}
    return tuple(ModelUsed(name, digest) for name, digest in sorted(pairs))


PANEL = Panel(place=50, view=_view, title="Stages")
