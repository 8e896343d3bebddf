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

    added_later: ClassVar[Mapping[str, Any]] = {"writer": "sentences"}

    matcher: str = Field(
        "ensemble",
        description="How sentences are matched with key points. Write a model's name or path after a colon, as in "
        f"cross-encoder:NAME. A model's name alone is that of an encoder. {listed(_MATCHERS)}",
    )
    threshold: float | None = Field(
        None,
        description="A sentence makes a key point if its score is at least this. Empty: the matcher's own threshold.",
    )
    fewest: int = Field(
        3,
        ge=1,
        le=1000,
        description="If a side has fewer key points than this, points that are made only once are added.",
    )
    most: int = Field(10, ge=1, le=1000, description="The highest number of key points of a side.")
    most_words: int = Field(15, ge=5, description="Longer sentences cannot be key points.")
    writer: Literal["sentences", "llm"] = Field(
        "sentences",
        description="How key points are written. sentences: sentences of the speeches are taken as they are. llm: the "
        "large language model at llm.url writes them, and names the sentences on which each is based.",
    )
    llm: Shared = None

    @property
    def asked_llm(self) -> LlmSettings | None:
        return (self.llm or LlmSettings()) if LLM in (self.matcher, self.writer) else None

    @model_validator(mode="after")
    def _fewest_below_most(self) -> "KeypointsSettings":
        if self.fewest > self.most:
            raise ValueError("keypoints.fewest is above keypoints.most")
        return self
