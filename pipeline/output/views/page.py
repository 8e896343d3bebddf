"""A page and its panels. The panels of a page are the files in its folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pipeline.family import Family

PageName = Literal["front", "motion", "speech"]


@dataclass(frozen=True)
class Panel:
    """A part of a page. Panels are ordered by `place`.

    `view` takes the run's data and the subject of the page, and returns what the panel shows. Nothing (None or an empty
    tuple) leaves the panel out. `title` is its heading, or a function that makes one of the view.
    """

    place: int
    view: Callable[..., Any]
    title: str | Callable[[Any], str] = ""


@cache
def panels(page: PageName) -> dict[str, Panel]:
    """The panels of a page by name, in their order on the page."""
    family = Family(f"pipeline.output.views.{page}", "panel")
    found: dict[str, Panel] = {name: family.load(name).PANEL for name in family.names()}
    return dict(sorted(found.items(), key=lambda item: item[1].place))


@dataclass(frozen=True)
class Tile:
    """A figure at the top of a page: its name, its value, and a note under it."""

    name: str
    value: str
    note: str = ""


class Page:
    """A page of a run. Each panel's view is computed once, when it is first used."""

    def __init__(self, name: PageName, *about: Any) -> None:
        self.name = name
        self._about = about
        self._views: dict[str, Any] = {}

    def __getitem__(self, panel: str) -> Any:
        """The view of a panel; empty or None if there is nothing to show."""
        if panel not in self._views:
            self._views[panel] = panels(self.name)[panel].view(*self._about)
        return self._views[panel]

    def __iter__(self) -> Iterator[tuple[str, str, Any]]:
        """(name, title, view) of every panel that has something to show."""
        for name, panel in panels(self.name).items():
            if view := self[name]:
                yield name, panel.title(view) if callable(panel.title) else panel.title, view
