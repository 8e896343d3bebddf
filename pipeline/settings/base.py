"""What the settings of all stages share."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from pipeline.errors import RostrumError
from pipeline.family import Family

if TYPE_CHECKING:
    from pipeline.settings.llm import LlmSettings

_UNSET = object()
Device = Literal["auto", "cpu", "cuda"]


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

    # Settings that were added to a stage later, each with the value that keeps the stage's former results.
    added_later: ClassVar[Mapping[str, Any]] = {}
    # Settings that only choose a model. The model itself is part of the fingerprint.
    implied_by_model: ClassVar[frozenset[str]] = frozenset()

    def decisive(self) -> dict[str, Any]:
        """The settings that are part of a fingerprint.

        A setting that was added later is left out if it keeps the former results, so that these stay cached.
        """
        dumped = self.model_dump(mode="json", exclude=set(self.implied_by_model))
        return {name: value for name, value in dumped.items() if self.added_later.get(name, _UNSET) != value}

    @property
    def asked_llm(self) -> "LlmSettings | None":
        """The settings of the large language model that the stage asks; None if it asks none."""
        return None
