"""The table of stages, in order. A stage's line here is all that it takes to make it part of a run."""

import functools
from importlib import import_module
from typing import Any

from pipeline.engine.stage import Stage

NAMES = (
    "ingest",
    "diarize",
    "transcribe",
    "score",
    "segment",
    "prosody",
    "mentions",
    "counter",
    "keypoints",
    "convincing",
    "content",
)


@functools.cache
def stage_named(name: str) -> Stage[..., Any]:
    """The stage of that name; its module is imported on first use."""
    found: Stage[..., Any] = getattr(import_module(f"pipeline.stages.{name}"), name)
    return found


def all_stages() -> tuple[Stage[..., Any], ...]:
    return tuple(stage_named(name) for name in NAMES)
