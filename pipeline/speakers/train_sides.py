"""The encoder that tells which side of a motion a text is on, motion and text read together."""

from pathlib import Path

import click

from pipeline.evaluation import result as options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_file
@click.option(
    "--encoder", default="bge-small-en-v1.5-int8", show_default=True, help="What to fine-tune, by name or path."
)
@click.option("--layers", default=12, show_default=True, help="How many of the encoder's last layers to change.")
@click.option("--epochs", default=3, show_default=True, help="How often all texts are seen.")
@options.threads
@options.training_seed
def command(
    data: Path, progress: Progress, out: Path | None, encoder: str, layers: int, epochs: int, seed: int
) -> Trained:
    """Fine-tune an encoder on claims and arguments for and against motions.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance, of which the training parts are read.
    """
    from pipeline.speakers.evaluate.training import ATTRIBUTION, SidesOptions, learn
    from pipeline.speakers.stance_model import trained_file

    file = out or trained_file()
    learn(data, file, base=encoder, options=SidesOptions(layers=layers, epochs=epochs, seed=seed), progress=progress)
    return Trained(file, (ATTRIBUTION,))
