"""`rostrum evaluate pairs`."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option("--weights", type=options.FILE, help="What `rostrum train pairs` wrote. Default: in the model cache.")
def command(data: Path, test: Path | None, progress: Progress, weights: Path | None) -> Evaluation:
    """Which sentences make one point, and on which side each is, on topics that were not learned from.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance. Nothing is learned here: --test only names
    another folder.
    """
    from pipeline.evaluation.pairs.encoder import trained_file
    from pipeline.evaluation.pairs.table import evaluate

    return evaluate(test or data, weights or trained_file(), progress=progress)
