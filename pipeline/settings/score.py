"""The settings of `score`."""

from typing import Literal

from pydantic import Field

from pipeline.settings.base import StageSettings


class ScoreSettings(StageSettings):
    """How a transcript is compared with its reference."""

    normaliser: Literal["plain", "whisper", "verbatim"] = Field(
        "whisper",
        description="What does not count as an error. whisper: its English rules for spelling, fillers and numbers. "
        "plain: case and punctuation. verbatim: nothing.",
    )
