"""Sentence boundaries for unpunctuated transcripts."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_file
@click.option(
    "--encoder", default="all-MiniLM-L6-v2", show_default=True, help="The encoder that reads the words in context."
)
@click.option("--epochs", default=8, show_default=True, help="Epochs: how often every word is seen.")
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of the first weights, and of the motions that set the thresholds.",
)
def command(data: Path, progress: Progress, out: Path | None, encoder: str, epochs: int, seed: int) -> Trained:
    """Learn to punctuate unpunctuated transcripts; the stage `segment` then does so.

    DIR is IBM's recorded debates: .asr and .trs.txt below speeches/.
    """
    from pipeline import models
    from pipeline.evaluation.segmentation.training import TaggerOptions, read_speeches, train_tagger
    from pipeline.text.sentences.boundary_tagger import FILE

    chosen = TaggerOptions(encoder=encoder, epochs=epochs, seed=seed)
    tagger = train_tagger(read_speeches(data, chosen, progress), chosen, progress)
    path = out or models.cache_folder() / FILE
    tagger.save(path)
    thresholds = tagger.thresholds._asdict().items()
    return Trained(path, tuple(f"{name:10} from {threshold:.2f} on" for name, threshold in thresholds))
