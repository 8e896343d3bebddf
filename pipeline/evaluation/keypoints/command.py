"""`rostrum evaluate keypoints`."""

from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress


@click.command()
@click.option("--encoder", default="all-MiniLM-L6-v2", show_default=True, help="The unchanged encoder to compare with.")
@click.option(
    "--matcher",
    "matchers",
    multiple=True,
    help="One more matcher: an encoder's name or path, cross-encoder:NAME, or a file of trained weights. Repeatable.",
)
@click.option(
    "--predictions",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Score this submission (predictions.p, JSON) as well. Repeatable.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write predictions.p of every method and the generated key_points.csv there.",
)
@click.option("--seed", default=0, show_default=True, help="Breaks ties and draws what is drawn by chance.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    encoder: str,
    matchers: tuple[str, ...],
    predictions: tuple[Path, ...],
    out: Path | None,
    seed: int,
) -> Evaluation:
    """Key point matching and generation (KPA 2021): every method, by both published versions of the score.

    DIR has arguments_train.csv, key_points_train.csv, labels_train.csv and the same for dev; or only one part, which is
    then scored with weights that were trained before. Without key points and labels, key points are only generated.
    """
    from pipeline.evaluation.keypoints.table import evaluate

    return evaluate(
        data,
        test,
        encoder=encoder,
        matchers=matchers,
        predictions=predictions,
        out=out,
        seed=seed,
        progress=progress,
    )
