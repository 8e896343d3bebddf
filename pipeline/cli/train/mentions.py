"""`rostrum train mentions`."""

from pathlib import Path

import click

from pipeline.cli.train import data_option


@click.command("mentions")
@data_option("A folder of the layout of ibm-debates, a corpus with labels.csv, or the folder of ArgKP (KPA 2021).")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: the model cache, where runs look."
)
@click.option("--encoder", help="The sentence encoder that the detector is for. [default: the stage's]")
@click.option("--seed", default=0, show_default=True, help="For ArgKP: which speeches are put together.")
def train(data: Path, out: Path | None, encoder: str | None, seed: int) -> None:
    """Train the mention detector on labelled speeches, and say how it does on motions it has not seen."""
    from pipeline.argue.mentions.detector import trained_path, write_detector
    from pipeline.evaluation.listening.training import trained_on
    from pipeline.settings import MentionsSettings
    from pipeline.text.encoders.sentence_encoder import load_encoder

    loaded = load_encoder(encoder or MentionsSettings().encoder)
    result = trained_on(data, loaded, seed)
    path = out or trained_path(loaded.digest)
    write_detector(result.detector, path)
    click.echo(result.summary, err=True)
    click.echo(path)
