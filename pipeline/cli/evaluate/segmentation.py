"""`rostrum evaluate segmentation`."""

from pathlib import Path

import click

from pipeline.cli.evaluate import evaluation_options, print_evaluation


@click.command()
@evaluation_options
@click.option("--seed", default=0, show_default=True, help="Decides the folds and the training.")
def segmentation(data: Path, test: Path | None, as_json: bool, seed: int) -> None:
    """Sentence boundaries in unpunctuated transcripts.

    DIR has the layout of IBM's recorded debates: .asr (word times) and .trs.txt (a person's sentences) below speeches/.
    """
    from pipeline.cli.progress import progress_bar
    from pipeline.evaluation.segmentation.table import evaluate
    from pipeline.evaluation.segmentation.training import Options

    with progress_bar("segmentation") as show:
        evaluation = evaluate(data, test, Options(seed=seed), show)
    print_evaluation(evaluation, as_json)
