"""`rostrum evaluate wer`."""

from pathlib import Path

import click

from pipeline.cli.evaluate import evaluation_options, print_evaluation


@click.command()
@evaluation_options
@click.option(
    "--normaliser",
    type=click.Choice(["plain", "whisper", "verbatim"]),
    default="whisper",
    show_default=True,
    help="What does not count as an error.",
)
def wer(data: Path, test: Path | None, as_json: bool, normaliser: str) -> None:
    """Price given transcripts (the layout of IBM's debates), or Whisper's (recordings and transcripts.tsv).

    Nothing is tuned here: with --test, the figures are those of that folder.
    """
    from pipeline.evaluation.wer.table import evaluate

    print_evaluation(evaluate(test or data, normaliser), as_json)  # type: ignore[arg-type]  # click has checked it
