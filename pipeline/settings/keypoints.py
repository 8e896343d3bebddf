"""The settings of `keypoints`."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from pipeline.family import Family
from pipeline.settings.base import StageSettings, listed
from pipeline.settings.llm import LLM, LlmSettings, Shared

_MATCHERS = Family("pipeline.argue.keypoints.matchers", "key point matcher")


class KeypointsSettings(StageSettings):
    """How key points are found."""

    came_later: ClassVar[Mapping[str, Any]] = {"writer": "sentences"}

    matcher: str = Field(
        "ensemble",
        description="What matches sentences with key points. A model's name or path follows after a colon, as in "
        f"cross-encoder:NAME; alone, it is an encoder's. {listed(_MATCHERS)}",
    )
    threshold: float | None = Field(
        None, description="A sentence makes a key point from this score on. Empty: the matcher's own threshold."
    )
    fewest: int = Field(
        3,
        ge=1,
        le=1000,
        description="With fewer key points than this on a side, a point that is made only once becomes one, too.",
    )
    most: int = Field(10, ge=1, le=1000, description="The highest number of key points of a side.")
    most_words: int = Field(15, ge=5, description="Longer sentences cannot be key points.")
    writer: Literal["sentences", "llm"] = Field(
        "sentences",
        description="What writes key points. sentences: they are taken from what was said. llm: the large language "
        "model of llm.url writes them, and names the sentences that it has them from.",
    )
    llm: Shared = None

    @property
    def asked(self) -> LlmSettings | None:
        return (self.llm or LlmSettings()) if LLM in (self.matcher, self.writer) else None

    @model_validator(mode="after")
    def _fewest_below_most(self) -> "KeypointsSettings":
        if self.fewest > self.most:
            raise ValueError("keypoints.fewest is above keypoints.most")
        return self
