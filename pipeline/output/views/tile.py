"""A figure with its name, at the top of a page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """A figure, its name, and a note under it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Tiles:
    """Figures side by side, under the heading of the page itself."""

    tiles: tuple[Tile, ...]
    title: str = ""
