"""The command `rostrum`: that of the library, and what needs Prefect."""

import os
import sys
from pathlib import Path

import click

from pipeline.cli import LAZY, main_group
from pipeline.cli.lazy import run_command

LAZY["run"] = ("flows.cli:run", "Process a folder of speeches: transcripts, word error rates, arguments.")
LAZY["doctor"] = ("flows.doctor:doctor", "Check this machine: every line is ok, or says what to do.")


def main() -> None:
    """The entry point of `rostrum`."""
    run_command(main_group)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", help="Where the artifacts go: a folder or an s3:// URL. Default: runs/<name of the folder>.")
@click.option("--stages", help="Only these stages, separated by commas, and those that they take from.")
@click.option("--set", "assignments", multiple=True, metavar="STAGE.KNOB=VALUE", help="Set a knob; repeatable.")
@click.option(
    "--settings", "file", type=click.Path(path_type=Path), help="A TOML file with settings. Default: ./rostrum.toml."
)
@click.option(
    "--on",
    default="threads",
    show_default=True,
    metavar="threads|processes|dask://HOST:PORT",
    help="Where stages run: here, one model at a time; in a process per core; or on the workers of a Dask cluster.",
)
def run(
    folder: Path, out: str | None, stages: str | None, assignments: tuple[str, ...], file: Path | None, on: str
) -> None:
    """Process FOLDER: what is there already, with the same settings, is not done again.

    Ends with 0 when all went well, 1 when some speeches failed, 2 when the call was wrong.
    """
    from flows.command import run_corpus
    from pipeline import configuration

    settings = configuration.load(file, os.environ, assignments).settings
    chosen = [name.strip() for name in stages.split(",")] if stages else None
    sys.exit(run_corpus(folder, out or f"runs/{folder.resolve().name}", chosen, settings, on))
