"""The settings of `speakers`."""

from typing import Literal

from pydantic import Field

from pipeline.settings import StageSettings


class SpeakersSettings(StageSettings):
    """How people's roles and sides are found."""

    role_threshold: float = Field(
        0.6, ge=0, le=1, description="A role that is less probable is not known. 0: always take the most probable one."
    )
    side_threshold: float = Field(
        0.7,
        ge=0.5,
        le=1,
        description="A side that is less probable is not known. 0.5: always take the more probable one.",
    )
    own_words: Literal["model", "rules"] = Field(
        "model",
        description="How a debater's own words tell the side. model: by what debaters ask the audience to vote for, "
        "and by the model that comes with rostrum. rules: only by the former.",
    )
    reply_threshold: float = Field(
        0.5, ge=0, le=1, description="A reply that is less probable is left out. 0: the most probable one of each turn."
    )
    evidence_shown: int = Field(
        4, ge=0, le=100, description="How many sentences to keep for each side, the weightiest first."
    )
