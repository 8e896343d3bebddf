"""`rostrum evaluate convincing`."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--fast", is_flag=True, help="Only the methods that take seconds per topic: lengths, linear, Gaussian process."
)
@click.option(
    "--also",
    multiple=True,
    metavar="DIR",
    type=options.FOLDER,
    help="One more set: each set is judged by what was learned from all the others, and from each one. Repeatable.",
)
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this method. Repeatable.")
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors of the networks.")
@click.option("--anew", is_flag=True, help="Judge every topic again. Default: reuse the judgements of earlier calls.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the networks and of landmark texts.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    fast: bool,
    also: tuple[Path, ...],
    methods: tuple[str, ...],
    vectors: str,
    anew: bool,
    seed: int,
) -> Evaluation:
    """Which of two arguments is more convincing, and in which order a topic's arguments come.

    DIR is UKPConvArg1, IBM-ArgQ or IBM-EviConv; each of its topics is judged by methods that learned from the others.
    With --test the methods learn from all of --data, with --also from several sets at once. An interrupted call
    continues where it stopped.
    """
    from pipeline.evaluation.convincing.cache import cache_folder
    from pipeline.evaluation.convincing.judging import MethodOptions
    from pipeline.evaluation.convincing.table import evaluate

    return evaluate(
        data,
        test,
        also=also,
        methods=methods,
        fast=fast,
        options=MethodOptions(seed, vectors),
        cache=None if anew else cache_folder(),
        progress=progress,
    )
