"""`rostrum export`."""

from pathlib import Path

import click

from pipeline.output.exports import FORMATS


@click.command()
@click.argument("run")
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS, case_sensitive=False),
    multiple=True,
    required=True,
    help="The format; repeatable, and each then has a folder of its own.",
)
@click.option(
    "--to", "folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to write to."
)
@click.option("--anonymise", is_flag=True, help="Replace the names of speakers and of files, the same way everywhere.")
def export(run: str, formats: tuple[str, ...], folder: Path, anonymise: bool) -> None:
    """Write what RUN found in other tools' formats.

    A file a speech: srt, vtt, vtt-words (a time for every word), tsv, textgrid (Praat), eaf (ELAN), audacity (label
    tracks). One file for all: ctm, stm, rttm, seglst. Tables of everything: csv, parquet. datasets: a folder for
    Hugging Face's load_dataset.
    """
    from pipeline.engine.finished import FinishedRun
    from pipeline.output import exports

    finished = FinishedRun(run, anonymise=anonymise)
    for name in dict.fromkeys(formats):
        target = folder / name if len(set(formats)) > 1 else folder
        files = exports.export(finished, name, target)
        click.echo(f"{name}: {len(files)} files in {target}")
