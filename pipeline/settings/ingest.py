"""The settings of `ingest`."""

from pydantic import Field

from pipeline.settings.base import StageSettings


class IngestSettings(StageSettings):
    """How recordings are decoded and measured."""

    max_hours: float = Field(24.0, gt=0, le=1000, description="Refuse recordings longer than this many hours.")
