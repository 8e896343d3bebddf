"""Log lines that say which speech and stage they are about, for a person or for a machine."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, cast

Style = Literal["console", "json"]
VARIABLE = "ROSTRUM_LOG"

logger = logging.getLogger("rostrum")
_about: ContextVar[dict[str, str] | None] = ContextVar("about", default=None)


@contextmanager
def about(**facts: str) -> Iterator[None]:
    """Every line logged inside, the warnings of libraries among them, is about these."""
    token = _about.set({**(_about.get() or {}), **facts})
    try:
        yield
    finally:
        _about.reset(token)


def configure(style: Style | None = None) -> None:
    """Send log lines and the warnings of libraries to stderr, in the style that $ROSTRUM_LOG asks for.

    Where no style is asked for, only what is worth a warning is shown. Processes that are started later do as this one.
    """
    if style:
        os.environ[VARIABLE] = style
    style = cast(Style | None, os.environ.get(VARIABLE))
    handler = logging.StreamHandler()
    handler.setFormatter(_Json() if style == "json" else _Console())
    logging.captureWarnings(True)
    for name in ("rostrum", "py.warnings"):
        each = logging.getLogger(name)
        each.handlers = [handler]
        each.propagate = False
    logger.setLevel(logging.INFO if style else logging.WARNING)


class _Json(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            **(_about.get() or {}),
            "message": record.getMessage(),
        }
        return json.dumps(line, ensure_ascii=False)


class _Console(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        place = " ".join(f"{name}={value}" for name, value in (_about.get() or {}).items())
        message = " ".join(record.getMessage().split())
        return f"{self.formatTime(record, '%H:%M:%S')} {record.levelname.lower()} {place} {message}"
