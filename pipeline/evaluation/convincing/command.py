"""`rostrum evaluate convincing`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--fast", is_flag=True, help="Only the methods that take seconds a topic: lengths, linear, Gaussian process."
)
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this method; repeatable.")
@click.option("--anew", is_flag=True, help="Judge every topic anew; else what an earlier call has judged is taken.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything that is drawn at random.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    fast: bool,
    methods: tuple[str, ...],
    anew: bool,
    seed: int,
) -> Evaluation:
    """Which of two arguments is more convincing, and in which order a topic's arguments come.

    DIR is UKPConvArg1, IBM-ArgQ or IBM-EviConv; each of its topics is judged by methods that learned from the others.
    With --test the methods learn from all of DATA. A call that was interrupted goes on where it was.
    """
    from pipeline.evaluation.convincing.cache import cache_folder
    from pipeline.evaluation.convincing.table import evaluate, tables

    evaluation = evaluate(
        data,
        test,
        methods=methods,
        fast=fast,
        cache=None if anew else cache_folder(),
        progress=lambda name, done, of: progress(done / of, f"{name}, {done} of {of}"),
        seed=seed,
    )
    return evaluation.model_copy(update={"tables": tuple(tables(evaluation))})
