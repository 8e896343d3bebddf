"""What a person wants to see, as Markdown: `rostrum show` prints it, the Prefect UI shows it.

Each stage has a module here of its own name with two functions: `page(record)` shows all of it, `headline(record)` says
in a few words what was made. `front` and `motion` are the report's pages in short.
"""

from importlib import import_module
from typing import Any

from pipeline.records import Record


def page(stage: str, record: Record) -> str:
    """The stage's record as Markdown."""
    text: str = _module(stage).page(record)
    return text


def headline(stage: str, record: Record) -> str:
    """What the stage made, in a few words of plain text."""
    text: str = _module(stage).headline(record)
    return text.replace("\xa0", " ")


def _module(stage: str) -> Any:
    return import_module(f"pipeline.output.markdown.{stage}")
