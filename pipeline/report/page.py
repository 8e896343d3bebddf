"""A page, its panels, and the templates that make it HTML."""

import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipeline.report import formatting

PageName = Literal["front", "motion", "flow", "speech"]
# The panels of each page, in their order on the page. A panel's template is templates/PAGE/PANEL.html.j2.
PANELS: dict[PageName, dict[str, str]] = {
    "front": {
        "failures": "pipeline.report.front:FAILURES",
        "motions": "pipeline.report.front:MOTIONS",
        "speeches": "pipeline.report.front:SPEECHES",
        "overview": "pipeline.report.front:OVERVIEW",
        "plots": "pipeline.report.front:PLOTS",
        "stages": "pipeline.report.front:STAGES_PANEL",
        "skips": "pipeline.report.front:SKIPS",
    },
    "motion": {
        "votes": "pipeline.report.panels:VOTES",
        "map": "pipeline.keypoints.map:PANEL",
        "key-points": "pipeline.keypoints.show:MOTION_PANEL",
        "replies": "pipeline.counter.show:REPLIES_PANEL",
        "answers": "pipeline.counter.show:MATRIX_PANEL",
        "arguments": "pipeline.mentions.show:PANEL",
        "ranking": "pipeline.convincing.show:PANEL",
        "speeches": "pipeline.report.panels:SPEECHES",
    },
    "flow": {"flow": "pipeline.report.flow:PANEL"},
    "speech": {
        "overview": "pipeline.report.panels:OVERVIEW",
        "player": "pipeline.report.player:PANEL",
        "people": "pipeline.speakers.show:PANEL",
        "timeline": "pipeline.report.timeline:PANEL",
        "transcript": "pipeline.transcribe.show:PANEL",
        "downloads": "pipeline.report.panels:DOWNLOADS",
        "answers": "pipeline.counter.show:ANSWERS_PANEL",
        "key-points": "pipeline.keypoints.show:SPEECH_PANEL",
        "coverage": "pipeline.content.show:PANEL",
        "stages": "pipeline.report.panels:STAGES_PANEL",
    },
}


@dataclass(frozen=True)
class Panel:
    """A part of a page.

    `view` takes the run's data and the subject of the page, and returns or yields what the panel shows. Nothing leaves
    the panel out. `title` is its heading, or a function that makes one of the view. `markdown` makes
    Markdown of the view, for the short version of the page in the Prefect UI; without it, the panel is not there.
    """

    view: Callable[..., Any]
    title: str | Callable[[Any], str] = ""
    markdown: Callable[[Any], str] | None = None


@cache
def panels(page: PageName) -> dict[str, Panel]:
    """The panels of a page by name, in their order on the page."""
    return {name: _declared(address) for name, address in PANELS[page].items()}


def _declared(address: str) -> Panel:
    """The panel at an address `module:NAME`. It is imported only now, because the modules of panels import this one."""
    module, _, name = address.partition(":")
    panel: Panel = getattr(import_module(module), name)
    return panel


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
            view = panels(self.name)[panel].view(*self._about)
            self._views[panel] = tuple(view) if isinstance(view, Iterator) else view
        return self._views[panel]

    def __iter__(self) -> Iterator[tuple[str, str, Any]]:
        """(name, title, view) of every panel that has something to show."""
        for name, panel in panels(self.name).items():
            if view := self[name]:
                yield name, panel.title(view) if callable(panel.title) else panel.title, view

    @property
    def markdown(self) -> str:
        """A short version of the page: the panels that can be written as Markdown, each under its title."""
        shown = ((title, panels(self.name)[name].markdown, view) for name, title, view in self)
        return "\n\n".join(f"## {title}\n\n{write(view)}" for title, write, view in shown if write)


_FILTERS = ("clock", "decimal", "duration", "number", "percent", "share", "shortened", "side")


@functools.cache
def environment() -> Environment:
    """The jinja2 environment: where the templates are, and which functions they can use."""
    environment = Environment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {name: getattr(formatting, name) for name in _FILTERS}
    environment.globals["counted"] = formatting.counted
    environment.globals["version"] = version("rostrum")
    return environment


def render(template: str, **context: Any) -> str:
    """The page that a template makes of its context."""
    name = template if "." in template else f"{template}.html"
    return environment().get_template(f"{name}.j2").render(context)


def script(name: str, data: Any) -> str:
    """Data as a script, because a page that is opened from disk may load scripts but not data."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return f"window.rostrum = window.rostrum || {{}};\nrostrum.{name} = {text};\n"
