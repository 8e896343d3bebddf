"""`rostrum train NAME`: models that are small enough to be trained on a workstation. Each name is a module here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from pipeline.cli.lazy import LazyGroup

F = TypeVar("F", bound=Callable[..., Any])

_HELP = {
    "segmenter": "Sentence boundaries for unpunctuated transcripts.",
    "noise": "What a recogniser makes of words, for rostrum noise.",
    "skip-thought": "A sentence encoder from a folder of text.",
    "mentions": "The mention detector.",
    "counter": "The counter-speech ranker.",
    "keypoints": "The key point matcher.",
    "convincing": "The convincingness model.",
}


@click.group(
    cls=LazyGroup,
    lazy={name: (f"pipeline.cli.train.{name.replace('-', '_')}:train", text) for name, text in _HELP.items()},
)
def train() -> None:
    """Train one of the project's own models."""


def data_option(layout: str) -> Callable[[F], F]:
    """`--data`, which every training has; `layout` says what is in the folder."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    return click.option("--data", type=folder, required=True, help=layout)
