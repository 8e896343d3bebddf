"""Results as Markdown. `rostrum show` prints it, and the Prefect UI shows it.

Each stage has a module of its name here, with two functions. `page(record)` shows the whole record, `headline(record)`
describes it in a few words. `front` and `motion` are short versions of the report's pages.
"""

from importlib import import_module
from typing import Any

from pipeline.records import Record


def page(stage: str, record: Record) -> str:
    """The stage's record as Markdown."""
    text: str = _module(stage).page(record)
    return text


def headline(stage: str, record: Record) -> str:
    """The stage's record in a few words of plain text."""
    text: str = _module(stage).headline(record)
    return text.replace("\xa0", " ")


def _module(stage: str) -> Any:
    return import_module(f"pipeline.output.markdown.{stage}")
