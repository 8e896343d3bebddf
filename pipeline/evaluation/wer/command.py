"""`rostrum evaluate wer`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--normaliser",
    type=click.Choice(["plain", "whisper", "verbatim"]),
    default="whisper",
    show_default=True,
    help="What does not count as an error.",
)
def command(data: Path, test: Path | None, progress: Progress, normaliser: str) -> Evaluation:
    """Price given transcripts (the layout of IBM's debates), or Whisper's (recordings and transcripts.tsv).

    Nothing is tuned here: with --test, the figures are those of that folder.
    """
    from pipeline.evaluation.wer.table import evaluate

    return evaluate(test or data, normaliser)  # type: ignore[arg-type]  # click has checked it
