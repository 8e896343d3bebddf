"""`rostrum train noise`."""

from pathlib import Path

import click

from pipeline.cli.train import data_option


@click.command("noise")
@data_option("IBM's recorded debates: .asr and .trs.txt below speeches/.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: in the model cache.")
def train(data: Path, out: Path | None) -> None:
    """Learn what a recogniser makes of words, from what it heard and what people wrote down."""
    from pipeline.text import noise

    confusions = noise.learn_from_debates(data)
    path = out or noise.noise_path()
    noise.save(confusions, path)
    wrong, seen = sum(confusions.wrong.values()), sum(confusions.seen.values())
    click.echo(f"{wrong} of {seen} words suffered, of {len(confusions.seen)} different ones", err=True)
    click.echo(path)
