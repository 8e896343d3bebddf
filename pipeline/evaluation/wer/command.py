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
    """Compute the word error rate of existing transcripts, or of Whisper.

    DIR is a corpus with references and transcripts, such as IBM's debates, or one with references and recordings. A
    file transcripts.tsv (name, tab, text) may give the references. DIR may also be a run: what it recognised is then
    compared with the references of its corpus. Nothing is tuned: --test only names another folder.
    """
    from pipeline.evaluation.wer.table import evaluate

    return evaluate(test or data, normaliser, progress)  # type: ignore[arg-type]  # click has checked it
