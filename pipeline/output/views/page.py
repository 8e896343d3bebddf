"""A page and its panels. The panels of a page are the files in its folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol

from pipeline.family import Family

PageName = Literal["front", "motion", "speech"]


class View(Protocol):
    """What a panel shows. A view without a title has no heading."""

    @property
    def title(self) -> str: ...


@dataclass(frozen=True)
class Panel:
    """A part of a page. Panels are ordered by `place`.

    `view` takes the run's data and the subject of the page, and returns what the panel shows. None leaves the panel
    out.
    """

    place: int
    view: Callable[..., View | None]


@cache
def panels(page: PageName) -> dict[str, Panel]:
    """The panels of a page by name, in their order on the page."""
    family = Family(f"pipeline.output.views.{page}", "panel")
    found: dict[str, Panel] = {name: family.load(name).PANEL for name in family.names()}
    return dict(sorted(found.items(), key=lambda item: item[1].place))


class Page:
    """A page of a run. Each panel's view is computed once, when it is first used."""

    def __init__(self, name: PageName, *about: Any) -> None:
        self.name = name
        self._about = about
        self._views: dict[str, Any] = {}

    def __getitem__(self, panel: str) -> Any:
        """The view of a panel, or None if there is nothing to show."""
        if panel not in self._views:
            self._views[panel] = panels(self.name)[panel].view(*self._about)
        return self._views[panel]

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """(name, view) of every panel that has something to show."""
        return ((name, view) for name in panels(self.name) if (view := self[name]) is not None)
