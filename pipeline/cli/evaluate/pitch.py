"""`rostrum evaluate pitch`."""

from pathlib import Path

import click

from pipeline.cli.evaluate import evaluation_options, print_evaluation


@click.command()
@evaluation_options
def pitch(data: Path, test: Path | None, as_json: bool) -> None:
    """Pitch trackers against a laryngograph: gross and fine pitch errors, voicing errors, speed.

    DIR has utterances as .wav and beside each a .f0ref, the pitch in Hz every 15 ms, 0 where there is no voice.
    """
    from pipeline.evaluation.pitch.table import evaluate

    print_evaluation(evaluate(data, test), as_json)
