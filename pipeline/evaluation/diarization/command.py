"""`rostrum evaluate diarization`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="diarize.SETTING=VALUE",
    help="Change a setting, such as diarize.speakers.",
)
def command(data: Path, test: Path | None, progress: Progress, assignments: tuple[str, ...]) -> Evaluation:
    """Diarization error rate against RTTM.

    DIR has audio files and .rttm files about them, or two folders of .rttm, `ref` and `sys`, that are only scored. DIR
    may also be a run: the turns that it found are then scored against the .rttm of its corpus.
    """
    from pipeline.configuration import load
    from pipeline.evaluation.diarization.table import evaluate
    from pipeline.settings.diarize import DiarizeSettings

    settings = load(assignments=assignments).settings.of("diarize")
    assert isinstance(settings, DiarizeSettings)
    return evaluate(data, test, settings, progress)
