"""`rostrum train NAME`: models that are small enough to be trained on a workstation. Each name is a module here."""

import click

from pipeline.cli.lazy import LazyGroup

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
