"""What a person wants to see, as Markdown: `rostrum show` prints it, the Prefect UI shows it.

Each stage has a module here of its own name with one function, `page(record) -> str`. `front` and `motion` are the
report's pages in short.
"""

from importlib import import_module

from pipeline.records import Record


def page(stage: str, record: Record) -> str:
    """The stage's record as Markdown."""
    text: str = import_module(f"pipeline.output.markdown.{stage}").page(record)
    return text
