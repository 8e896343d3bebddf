"""The settings of `mentions`."""

from pydantic import Field

from pipeline.settings.base import StageSettings
from pipeline.settings.llm import LLM, LlmSettings, Shared


class MentionsSettings(StageSettings):
    """How known arguments are found in a speech."""

    encoder: str = Field(
        "bge-small-en-v1.5-int8",
        description="The encoder that compares sentences with arguments, as a name or path. rostrum comes with a "
        "detector for the default encoder; for another one, train a detector.",
    )
    detector: str = Field(
        "auto",
        description="The detector, which turns similarity into a probability. auto: the one that `rostrum train "
        "mentions` saved in the model cache, else the one that comes with rostrum. shipped: the one that comes with "
        "rostrum. Anything else is the path of a detector.",
    )
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="An argument is mentioned if its probability is at least this. Empty: the detector's threshold.",
    )
    carriers: int = Field(
        2, ge=0, le=1000, description="How many passages to show of each argument, the most similar first."
    )
    cross_encoder: str | None = Field(
        None,
        description="A cross-encoder (inference or reranking), as a name on the hub or a path, that chooses among the "
        "most similar passages. llm: the large language model at llm.url. Empty: choose by similarity alone.",
    )
    candidates: int = Field(5, ge=1, le=1000, description="How many passages of each argument the cross-encoder reads.")
    llm: Shared = None

    @property
    def asked_llm(self) -> LlmSettings | None:
        return (self.llm or LlmSettings()) if self.cross_encoder == LLM else None
