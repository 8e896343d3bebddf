"""The report's templates. All text is escaped, whoever wrote it."""

import functools
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipeline.output import markdown as pages

_LONGEST = 80
_NOTHING = "–"


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pipeline.output.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "clock": clock,
        "decimal": decimal,
        "duration": duration,
        "number": number,
        "percent": percent,
        "share": share,
        "shortened": shortened,
    }
    environment.globals["version"] = version("rostrum")
    return environment


def render(template: str, **context: Any) -> str:
    return _environment().get_template(f"{template}.html.j2").render(context)


def script(name: str, data: Mapping[str, Any]) -> str:
    """Data as a script, since a page opened from disk may load scripts but not data."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return f"window.rostrum = window.rostrum || {{}};\nrostrum.{name} = {text};\n"


def clock(seconds: float | None) -> str:
    """m:ss."""
    return _NOTHING if seconds is None else pages.clock(seconds)


def duration(seconds: float | None) -> str:
    """As a person says it: '3.2 s', '4 min', '2.5 h'."""
    if seconds is None:
        return _NOTHING
    if seconds < 60:
        return f"{seconds:.1f}\u00a0s"
    return f"{seconds / 60:.0f}\u00a0min" if seconds < 3600 else f"{seconds / 3600:.1f}\u00a0h"


def percent(value: float | None) -> str:
    """With one decimal, as error rates are given."""
    return _NOTHING if value is None else f"{100 * value:.1f}\u00a0%"


def share(value: float | None) -> str:
    """Without decimals, as probabilities and shares are given."""
    return _NOTHING if value is None else f"{100 * value:.0f}\u00a0%"


def number(value: float | None) -> str:
    """Without decimals from 10 on, with a thin space every three digits."""
    if value is None:
        return _NOTHING
    return f"{value:.1f}" if abs(value) < 10 and value != int(value) else f"{value:,.0f}".replace(",", "\u202f")


def decimal(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:z.2f}".replace("-", "\u2212")


def counted(count: int, what: str) -> str:
    """'1 error', '2 errors'."""
    return f"{number(count)} {what}" if count == 1 else f"{number(count)} {what}s"


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
