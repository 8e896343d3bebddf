"""What the settings of all stages share, and those of the large language model that stages may ask."""

from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from pipeline.errors import RostrumError
from pipeline.family import Family

# What the settings of all stages share.


def member_of(family: Family, *others: str) -> AfterValidator:
    """A validator that accepts only the names of the family's members, and these others."""

    def check(name: str) -> str:
        try:
            return name if name in others else family.check(name)
        except RostrumError as error:
            raise ValueError(str(error)) from error

    return AfterValidator(check)


def listed(family: Family) -> str:
    """A sentence about each member, for a setting's description."""
    return " ".join(family.summaries().values())


class StageSettings(BaseModel):
    """The base of every stage's settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    # Settings that only choose a model. The model itself is part of the fingerprint.
    implied_by_model: ClassVar[frozenset[str]] = frozenset()

    def decisive(self) -> dict[str, Any]:
        """The settings that are part of a fingerprint."""
        return self.model_dump(mode="json", exclude=set(self.implied_by_model))

    @property
    def asked_llm(self) -> "LlmSettings | None":
        """The settings of the large language model that the stage asks; None if it asks none."""
        return None


# The settings of the large language model that stages may ask. All stages share them.

# The value of a stage's setting that makes the stage ask the model.
LLM = "llm"


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it must begin with http:// or https:// and name a machine")
    if parts.username or parts.password or parts.query:
        raise ValueError("it must have no key or password in it; put the key into ROSTRUM_LLM_KEY")
    return url.rstrip("/").removesuffix("/chat/completions")


class LlmSettings(StageSettings):
    """Which large language model stages ask. By default, no stage asks one."""

    url: Annotated[str, AfterValidator(_address)] | None = Field(
        None,
        repr=False,  # somebody may have typed a key into it
        description="Empty: the model runs on this machine, and nothing is sent anywhere. Else the address of a server "
        "with OpenAI's chat completions, such as http://127.0.0.1:11434/v1 "
        "(ollama) or http://127.0.0.1:8080/v1 (llama.cpp), or a hosted one. Sentences of the speeches are sent there. "
        "If the server needs a key, set it in ROSTRUM_LLM_KEY.",
    )
    model: str | None = Field(
        None,
        description="With llm.url: the name that the server has for the model. Without: the path of a GGUF file. "
        "Empty: writer, the model that `rostrum models fetch writer` fetches.",
    )
    threads: int | None = Field(
        None, ge=1, le=64, description="Threads of a model on this machine. Empty: as many as there are cores."
    )
    temperature: float | None = Field(
        0.0,
        ge=0,
        le=2,
        description="The temperature that is sent with every request. Empty: none is sent, for models that refuse it.",
    )
    max_tokens: int | None = Field(
        None,
        ge=1,
        description="The highest number of tokens of an answer, for models that do not stop. Empty: the server's own.",
    )
    structured: bool = Field(
        True,
        description="Send the JSON schema of the answer with every request. Turn it off for a server that does not "
        "know schemas. Answers are checked either way.",
    )
    batch: int = Field(20, ge=1, le=1000, description="How many sentences or passages to ask about in one request.")
    parallel: int = Field(4, ge=1, le=64, description="The highest number of requests at the same time.")
    timeout: float = Field(120.0, gt=0, description="Wait this many seconds for an answer before trying again.")
    input_price: float | None = Field(None, ge=0, description="The price of a million tokens that are sent.")
    output_price: float | None = Field(None, ge=0, description="The price of a million tokens that are answered.")


# The type of the field `llm` of a stage that asks. The run fills it in. It is not a setting of the stage, and is not
# written to its artifacts.
Shared = Annotated[SkipJsonSchema[LlmSettings | None], Field(exclude=True)]
