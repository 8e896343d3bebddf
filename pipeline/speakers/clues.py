"""A clue: one sentence, and what it tells of somebody's side, or of two people's sides together."""

from dataclasses import dataclass

from pipeline.records import Stance

OTHER: dict[Stance, Stance] = {"pro": "con", "con": "pro"}


@dataclass(frozen=True)
class Clue:
    """A sentence says that a voice is on a side; or that it is on the same side as another one, or on the other side.

    `kind` says how it tells, which decides how much it weighs.
    """

    kind: str
    voice: str
    sentence: int | None
    text: str
    side: Stance | None = None
    other: str | None = None
    together: bool = False
