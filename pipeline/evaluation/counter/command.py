"""`rostrum evaluate counter`."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.counter import PROTOCOLS
from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option(
    "--transcript",
    "kinds",
    multiple=True,
    help="Only this kind of transcript, such as trs.txt or asr.txt; repeatable.",
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice(PROTOCOLS),
    help="Only this choice of candidates; repeatable.",
)
@options.compares_sentences
@options.inference
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors of SD and SD-e, or 'none'.")
@click.option(
    "--bert", help="A BERT with its head for next sentences, by hub name or path. It is also fine-tuned (BERT-T)."
)
@click.option("--epochs", default=3, show_default=True, help="Epochs of fine-tuning; 0 leaves BERT-T out.")
@options.allow_hub
@click.option(
    "--questions",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every question to this file, one JSON object per line: scores, ranks, margins and reasons.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the split into fifths and of the fine-tuning.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    kinds: tuple[str, ...],
    protocols: tuple[str, ...],
    encoder: str,
    inference: str | None,
    vectors: str,
    bert: str | None,
    epochs: int,
    allow_hub: bool,
    questions: Path | None,
    seed: int,
) -> Evaluation:
    """Which speech answers which (Orbach et al. 2020): every method, alone and by the best assignment.

    DIR is IBM's recorded debates, or a corpus whose speeches.csv says which speech answers which.
    """
    from pipeline.evaluation.counter.resources import load_resources
    from pipeline.evaluation.counter.table import evaluate

    resources = load_resources(
        encoder=options.or_none(encoder),
        inference=inference,
        vectors=options.or_none(vectors),
        bert=bert,
        epochs=epochs,
        allow_hub=allow_hub,
        seed=seed,
    )
    return evaluate(
        data,
        test,
        resources,
        kinds=kinds,
        protocols=protocols or PROTOCOLS,
        questions=questions,
        progress=progress,
    )
