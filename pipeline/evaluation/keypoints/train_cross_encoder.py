"""A cross-encoder of key points, which can teach the matcher."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_folder
@options.fine_tuned_encoder
@click.option("--epochs", default=1, show_default=True, help="Epochs: how often all pairs are seen.")
@click.option("--learning-rate", default=5e-5, show_default=True, help="The highest learning rate.")
@options.threads
@options.training_seed
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    encoder: str,
    epochs: int,
    learning_rate: float,
    seed: int,
) -> Trained:
    """Fine-tune a model that reads an argument and a key point together: slower than the matcher, and its teacher.

    DIR is as for `rostrum train keypoints`, of which only the training part is read.
    """
    from pipeline import models
    from pipeline.evaluation.keypoints.parts import training_parts
    from pipeline.evaluation.keypoints.training.cross_encoder import CrossEncoderOptions, train_cross_encoder
    from pipeline.evaluation.keypoints.training.lessons import lessons

    training, _ = training_parts(data)
    folder = out or models.cache_folder() / "keypoints" / "cross-encoder"
    chosen = CrossEncoderOptions(epochs=epochs, learning_rate=learning_rate, seed=seed)
    train_cross_encoder(models.find(encoder).path, lessons(training), folder, chosen, progress=progress)
    return Trained(
        folder,
        (
            f"to score it: rostrum evaluate keypoints --matcher cross-encoder:{folder}",
            f"to teach the matcher: rostrum train keypoints --teacher cross-encoder:{folder}",
        ),
    )
