"""The report's templates. All text is escaped."""

import functools
import json
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipeline.output import formatting

_FILTERS = ("clock", "decimal", "duration", "number", "percent", "share", "shortened", "side")


@functools.cache
def environment() -> Environment:
    """The jinja2 environment: where the templates are, and which functions they can use."""
    found = Environment(
        loader=PackageLoader("pipeline.output.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {name: getattr(formatting, name) for name in _FILTERS}
    found.globals["counted"] = formatting.counted
    found.globals["version"] = version("rostrum")
    return found


def render(template: str, **context: Any) -> str:
    """The page that a template makes of its context."""
    return environment().get_template(f"{template}.html.j2").render(context)


def script(name: str, data: Any) -> str:
    """Data as a script, because a page that is opened from disk may load scripts but not data."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return f"window.rostrum = window.rostrum || {{}};\nrostrum.{name} = {text};\n"
