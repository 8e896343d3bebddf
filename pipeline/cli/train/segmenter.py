"""`rostrum train segmenter`."""

from pathlib import Path

import click

from pipeline.cli.train import data_option


@click.command("segmenter")
@data_option("IBM's recorded debates: .asr and .trs.txt below speeches/.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: in the model cache.")
@click.option("--encoder", default="all-MiniLM-L6-v2", show_default=True, help="Reads the words in context.")
@click.option("--epochs", default=8, show_default=True, help="Times that every word is seen.")
@click.option(
    "--seed", default=0, show_default=True, help="Decides the first weights, and which motions set the lines."
)
def train(data: Path, out: Path | None, encoder: str, epochs: int, seed: int) -> None:
    """Learn to punctuate unpunctuated transcripts; the stage `segment` then does so."""
    from pipeline import models
    from pipeline.cli.progress import progress_bar
    from pipeline.evaluation.segmentation.training import Options, examples, read_inputs, train_tagger
    from pipeline.text.sentences.boundary_tagger import FILE

    options = Options(encoder=encoder, epochs=epochs, seed=seed)
    given = examples(data)
    with progress_bar("segmenter") as show:
        tagger = train_tagger(given, read_inputs(given, options, show), options, show)
    path = out or models.cache_folder() / FILE
    tagger.save(path)
    for name, threshold in tagger.thresholds._asdict().items():
        click.echo(f"{name:10} from {threshold:.2f} on", err=True)
    click.echo(path)
