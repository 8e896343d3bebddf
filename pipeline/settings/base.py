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
    """Refuses a name that no member of the family has, nor one of the others."""

    def check(name: str) -> str:
        try:
            return name if name in others else family.check(name)
        except RostrumError as error:
            raise ValueError(str(error)) from error

    return AfterValidator(check)


def listed(family: Family) -> str:
    """The members and what each is, for a setting's description."""
    return " ".join(family.summaries().values())


class StageSettings(BaseModel):
    """The base of every stage's settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    # Settings that came later, each with the value that does what was done before there was such a setting.
    came_later: ClassVar[Mapping[str, Any]] = {}
    # Settings that do no more than choose a model. The model itself is part of the fingerprint.
    told_by_model: ClassVar[frozenset[str]] = frozenset()

    def decisive(self) -> dict[str, Any]:
        """The settings that a fingerprint is made of.

        One that came later is left out at the value that changes nothing, so that older results stay cached.
        """
        dumped = self.model_dump(mode="json", exclude=set(self.told_by_model))
        return {name: value for name, value in dumped.items() if self.came_later.get(name, _UNSET) != value}

    @property
    def asked(self) -> "LlmSettings | None":
        """The large language model that these settings have a stage ask; None where it asks none."""
        return None
