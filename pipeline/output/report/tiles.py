"""A figure with its name, as it stands at the top of a page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    name: str
    value: str
    note: str = ""
