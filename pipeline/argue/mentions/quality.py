"""How good a mention detector was on debates that it had not seen."""

import json
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

_FILE = Path(__file__).with_name("quality.json")


class Quality(BaseModel):
    """Accuracy of each speech, averaged, with its 95 % interval, and the accuracy of always answering no."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    debates: int
    decisions: int
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    always_no: float


def quality_of(digest: str) -> Quality | None:
    """What was measured of the detector of that digest (`rostrum evaluate listening`); None if nothing was."""
    return _measured().get(digest)


@cache
def _measured() -> dict[str, Quality]:
    found = json.loads(_FILE.read_text(encoding="utf-8"))
    return {digest: Quality.model_validate(each) for digest, each in found.items()}
