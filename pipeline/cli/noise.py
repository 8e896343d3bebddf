"""`rostrum noise`: adds simulated recognition errors to a text."""

from pathlib import Path
from typing import TextIO

import click

from pipeline.cli.console import FILE, FOLDER
from pipeline.errors import RostrumError


@click.command()
@click.argument("text", type=click.File(encoding="utf-8"), default="-")
@click.option("--wer", type=click.FloatRange(min=0), required=True, help="The word error rate, such as 0.2.")
@click.option(
    "--from",
    "data",
    type=FOLDER,
    help="Learn the errors now, from IBM's recorded debates in this folder.",
)
@click.option(
    "--table",
    type=FILE,
    help="A file of errors that `rostrum train noise` learned. Default: the one in the model cache, else the one that "
    "comes with rostrum.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random choice of words and errors.")
def noise(text: TextIO, wer: float, data: Path | None, table: Path | None, seed: int) -> None:
    """Add simulated recognition errors to TEXT, a file or standard input. Lines stay lines."""
    from pipeline.text import noise as algorithm

    if data and table:
        raise RostrumError("--from and --table: give one of them")
    if data:
        from pipeline.score.train_noise import learn_confusions

        confusions = learn_confusions(data)
    else:
        confusions = algorithm.load(table or algorithm.default_path())
    try:
        lines = [line.split() for line in text]
    except UnicodeDecodeError as error:
        raise RostrumError(f"{text.name}: not UTF-8 text: {error.reason} at byte {error.start}") from error
    noisy = iter(algorithm.noisy_words([word for line in lines for word in line], confusions, wer, seed))
    for line in lines:
        click.echo(" ".join(word for _ in line for word in next(noisy)))
