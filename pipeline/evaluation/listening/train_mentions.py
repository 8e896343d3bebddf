"""The mention detector."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_file
@click.option("--encoder", help="The sentence encoder that the detector is for. Default: that of the stage.")
@click.option("--seed", default=0, show_default=True, help="For ArgKP: which speeches are put together.")
def command(data: Path, progress: Progress, out: Path | None, encoder: str | None, seed: int) -> Trained:
    """Train the mention detector on labelled speeches, and say how good it is on motions that it has not seen.

    DIR has the layout of ibm-debates, or is a corpus with labels.csv, or the folder of ArgKP (KPA 2021).
    """
    from pipeline.argue.mentions.detector import trained_path
    from pipeline.evaluation.listening.training.detectors import trained_on
    from pipeline.settings.mentions import MentionsSettings
    from pipeline.text.encoders.sentence_encoder import load_encoder

    loaded = load_encoder(encoder or MentionsSettings().encoder)
    result = trained_on(data, loaded, seed)
    path = out or trained_path(loaded.digest)
    result.detector.write(path)
    return Trained(path, (result.summary,))
