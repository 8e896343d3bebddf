"""`rostrum evaluate segmentation`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option("--seed", default=0, show_default=True, help="Seed of the folds and of the training.")
def command(data: Path, test: Path | None, progress: Progress, seed: int) -> Evaluation:
    """Sentence boundaries in unpunctuated transcripts.

    DIR has the layout of IBM's recorded debates: .asr (word times) and .trs.txt (a person's sentences) below speeches/.
    """
    from pipeline.evaluation.segmentation.table import evaluate
    from pipeline.evaluation.segmentation.training import TaggerOptions

    return evaluate(data, test, TaggerOptions(seed=seed), progress)
