"""Log lines that name their speech and stage, as text for people or as JSON for programs."""

import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal, cast

Style = Literal["console", "json"]
VARIABLE = "ROSTRUM_LOG"

logger = logging.getLogger("rostrum")
# Our own lines, and the warnings of libraries.
_NAMES = ("rostrum", "py.warnings")
_about: ContextVar[dict[str, str] | None] = ContextVar("about", default=None)


@cache
def warn_once(what: str) -> None:
    """Log a warning that holds for many speeches the first time that this process meets it."""
    logger.warning(what)


@contextmanager
def about(**facts: str) -> Iterator[None]:
    """Add these facts to every line that is logged inside, also to warnings of libraries."""
    token = _about.set({**(_about.get() or {}), **facts})
    try:
        yield
    finally:
        _about.reset(token)


@contextmanager
def forwarded_to(other: Any) -> Iterator[None]:
    """Also send warnings that this thread logs inside to another logger."""
    handler = _Forwarding(other, threading.get_ident())
    loggers = [logging.getLogger(name) for name in _NAMES]
    for sender in loggers:
        sender.addHandler(handler)
    try:
        yield
    finally:
        for sender in loggers:
            sender.removeHandler(handler)


class _Forwarding(logging.Handler):
    def __init__(self, other: Any, thread: int) -> None:
        super().__init__(logging.WARNING)
        self.other, self.thread = other, thread

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self.thread and record.levelno < logging.ERROR:
            self.other.log(record.levelno, " ".join(record.getMessage().split()))


def configure(style: Style | None = None) -> None:
    """Send log lines and the warnings of libraries to stderr, in this style or that of $ROSTRUM_LOG.

    Without a style, only warnings and errors are shown. Processes that are started later inherit the style.
    """
    if style:
        os.environ[VARIABLE] = style
    style = cast(Style | None, os.environ.get(VARIABLE))
    handler = logging.StreamHandler()
    handler.setFormatter(_Json() if style == "json" else _Console())
    logging.captureWarnings(True)
    for name in _NAMES:
        sender = logging.getLogger(name)
        sender.handlers = [handler]
        sender.propagate = False
    logger.setLevel(logging.INFO if style else logging.WARNING)


class _Json(logging.Formatter):
    """One JSON object per line."""

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
        facts = " ".join(f"{name}={value}" for name, value in (_about.get() or {}).items())
        message = " ".join(record.getMessage().split())
        return f"{self.formatTime(record, '%H:%M:%S')} {record.levelname.lower()} {facts} {message}"
