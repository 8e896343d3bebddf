"""`rostrum evaluate graph`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option("--restarts", type=click.IntRange(1), default=50, show_default=True, help="Random starts of MACE.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of MACE and of the random order.")
def command(data: Path, test: Path | None, progress: Progress, restarts: int, seed: int) -> Evaluation:
    """From votes on pairs of arguments to gold labels, graphs and ranks (Habernal and Gurevych 2016).

    DIR has the release of UKPConvArg1, with the folders UKPConvArg1-full-XML, UKPConvArg1Strict-CSV and
    UKPConvArg1-Ranking-CSV. Nothing is learned, so --test only names another folder.
    """
    from pipeline.evaluation.graph.table import evaluate

    return evaluate(test or data, restarts=restarts, seed=seed, progress=progress)
