"""The settings of `convincing`."""

from pydantic import Field

from pipeline.settings.base import StageSettings


class ConvincingSettings(StageSettings):
    """How points are ranked by how convincing they are."""

    model: str = Field(
        "default",
        description="The model that judges. default: the one that comes with rostrum. trained: the one that `rostrum "
        "train convincing` saved in the model cache. Anything else is the path of such a file.",
    )
    points: int = Field(
        10,
        ge=1,
        le=1000,
        description="Compare at most this many mentions and this many key points of each side, the most certain first.",
    )
    context: int = Field(
        1,
        ge=0,
        le=1000,
        description="How many sentences of the same speaker, before and after a point, are judged together with it.",
    )
    delivery_weight: float = Field(
        0.25,
        ge=0,
        le=10,
        description="How much livelier delivery (emphasis, pitch range, pace, few hesitations) counts: what one "
        "standard deviation adds to the log odds of convincing more. The default was chosen by hand, not from data.",
    )
