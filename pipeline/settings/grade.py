"""The settings of `grade`."""

from pydantic import Field

from pipeline.settings.base import StageSettings


class GradeSettings(StageSettings):
    """How a spoken answer is scored."""

    model: str = Field(
        "trained",
        description="The scoring model. trained: the one that `rostrum train score` saved in the model cache. Anything "
        "else is the path of such a file. Without a model, nothing is scored.",
    )
