"""The settings of `prosody`."""

from pydantic import Field, model_validator

from pipeline.settings.base import StageSettings


class ProsodySettings(StageSettings):
    """How the prosody of sentences is measured."""

    pitch_floor: float = Field(50.0, ge=50, description="The lowest pitch to find, in Hz.")
    pitch_ceiling: float = Field(500.0, le=2000, description="The highest pitch to find, in Hz.")
    voicing_threshold: float = Field(
        0.5, gt=0, lt=1, description="A frame is voiced above this confidence of the pitch tracker."
    )
    min_pause: float = Field(0.2, gt=0, description="A silence of at least this many seconds is a pause.")
    egemaps: bool = Field(
        False,
        description="Also compute the 88 eGeMAPS features of each sentence. Needs opensmile (pip install opensmile), "
        "whose licence is free for research only.",
    )

    @model_validator(mode="after")
    def _pitch_range(self) -> "ProsodySettings":
        if self.pitch_floor * 1.5 > self.pitch_ceiling:
            raise ValueError("prosody.pitch_ceiling must be at least 1.5 times prosody.pitch_floor")
        return self
