"""The encoder that says which sentences make one point, and on which side each is."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_file
@options.fine_tuned_encoder
@click.option("--layers", default=6, show_default=True, help="How many of the encoder's last layers to change.")
@click.option("--epochs", default=2, show_default=True, help="How often all texts are seen.")
@options.threads
@options.training_seed
def command(
    data: Path, progress: Progress, out: Path | None, encoder: str, layers: int, epochs: int, seed: int
) -> Trained:
    """Fine-tune a sentence encoder on claims and arguments as they are heard in speeches.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance, of which the training parts are read.
    """
    from pipeline.evaluation.pairs.encoder import trained_file
    from pipeline.evaluation.pairs.training import ATTRIBUTION, PairsOptions, learn

    file = out or trained_file()
    how = PairsOptions(layers=layers, epochs=epochs, seed=seed)
    learn(data, file, base=encoder, options=how, progress=progress)
    return Trained(file, (ATTRIBUTION,))
