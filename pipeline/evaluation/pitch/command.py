"""`rostrum evaluate pitch`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
def command(data: Path, test: Path | None, progress: Progress) -> Evaluation:
    """Pitch trackers against a laryngograph: gross and fine pitch errors, voicing errors, speed.

    DIR has utterances as .wav and beside each a .f0ref, the pitch in Hz every 15 ms, 0 where there is no voice.
    """
    from pipeline.evaluation.pitch.table import evaluate

    return evaluate(data, test)
