"""`rostrum evaluate convincing`."""

from pathlib import Path

import click

from pipeline.cli.evaluate import evaluation_options, print_evaluation


@click.command()
@evaluation_options
@click.option(
    "--fast", is_flag=True, help="Only the methods that take seconds a topic: lengths, linear, Gaussian process."
)
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this method; repeatable.")
@click.option("--anew", is_flag=True, help="Judge every topic anew; else what an earlier call has judged is taken.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything that is drawn at random.")
def convincing(
    data: Path, test: Path | None, as_json: bool, fast: bool, methods: tuple[str, ...], anew: bool, seed: int
) -> None:
    """Which of two arguments is more convincing, and in which order a topic's arguments come.

    DATA is UKPConvArg1, IBM-ArgQ or IBM-EviConv; each of its topics is judged by methods that learned from the others.
    With --test the methods learn from all of DATA. A call that was interrupted goes on where it was.
    """
    from rich.console import Console

    from pipeline.evaluation.convincing.cache import cache_folder
    from pipeline.evaluation.convincing.table import evaluate, tables

    with Console(stderr=True).status("reading") as status:
        evaluation = evaluate(
            data,
            test,
            methods=methods,
            fast=fast,
            cache=None if anew else cache_folder(),
            progress=lambda name, done, of: status.update(f"{name}: {done} of {of}"),
            seed=seed,
        )
    print_evaluation(evaluation, as_json, tables(evaluation))
