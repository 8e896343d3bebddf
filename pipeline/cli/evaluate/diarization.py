"""`rostrum evaluate diarization`."""

from pathlib import Path

import click

from pipeline.cli.evaluate import evaluation_options, print_evaluation


@click.command()
@evaluation_options
@click.option(
    "--set", "assignments", multiple=True, metavar="diarize.KNOB=VALUE", help="Change a knob, such as diarize.speakers."
)
def diarization(data: Path, test: Path | None, as_json: bool, assignments: tuple[str, ...]) -> None:
    """Diarization error rate against RTTM.

    DIR has audio files and .rttm files about them, or two folders of .rttm, `ref` and `sys`, that are only scored.
    """
    from pipeline.evaluation.diarization.table import evaluate
    from pipeline.settings.sources import load

    settings = load(assignments=assignments).settings.diarize
    print_evaluation(evaluate(data, test, settings, _tell), as_json)


def _tell(name: str, done: int, total: int) -> None:
    click.echo(f"{name} ({done + 1} of {total})", err=True)
