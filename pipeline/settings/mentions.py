"""The settings of `mentions`."""

from pydantic import Field

from pipeline.settings.base import StageSettings
from pipeline.settings.llm import LLM, LlmSettings, Shared


class MentionsSettings(StageSettings):
    """How known arguments are found in a speech."""

    encoder: str = Field(
        "bge-small-en-v1.5-int8",
        description="The encoder that compares sentences with arguments, as a name or path. A detector comes with "
        "rostrum for the default; train one for another encoder.",
    )
    detector: str = Field(
        "auto",
        description="What turns similarity into a probability. auto: what `rostrum train mentions` left in the model "
        "cache, else what comes with rostrum. shipped: what comes with rostrum. Anything else is the path of a "
        "detector.",
    )
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="An argument is mentioned from this probability on. Empty: the detector's own threshold.",
    )
    carriers: int = Field(
        2, ge=0, le=1000, description="How many passages to show of each argument, the most similar first."
    )
    cross_encoder: str | None = Field(
        None,
        description="A cross-encoder (inference or reranking), as a name on the hub or a path, that chooses among the "
        "most similar passages. llm: the large language model of llm.url. Empty: choose by similarity alone.",
    )
    candidates: int = Field(5, ge=1, le=1000, description="How many passages of each argument the cross-encoder reads.")
    llm: Shared = None

    @property
    def asked(self) -> LlmSettings | None:
        return (self.llm or LlmSettings()) if self.cross_encoder == LLM else None
