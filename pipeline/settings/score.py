"""The settings of `score`."""

from typing import Literal

from pydantic import Field

from pipeline.settings.base import StageSettings


class ScoreSettings(StageSettings):
    """How a transcript is compared with its reference."""

    normaliser: Literal["plain", "whisper", "verbatim"] = Field(
        "whisper",
        description="Which differences do not count as errors. whisper: spelling, fillers and numbers, by Whisper's "
        "English rules. plain: case and punctuation. verbatim: none.",
    )
