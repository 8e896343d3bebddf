"""`rostrum export`."""

import sys
from pathlib import Path

import click

from pipeline.cli.console.completion import formats_like
from pipeline.cli.console.paths import NEW_FOLDER, shown
from pipeline.output.exports import FORMATS
from pipeline.printable import printable


def _checked(context: click.Context, option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(FORMATS.check(name.lower()) for name in names))


def _listed() -> str:
    """The list of formats for --help, one per line. (The mark at the beginning keeps click from joining the lines.)"""
    width = max(map(len, FORMATS.names()))
    lines = (f"  {name:<{width}}  {summary}" for name, summary in FORMATS.summaries().items())
    return "\b\nFormats:\n" + "\n".join(lines)


@click.command(epilog=_listed())
@click.argument("run")
@click.option(
    "--format",
    "formats",
    metavar="NAME",
    multiple=True,
    default=["txt"],
    show_default=True,
    callback=_checked,
    shell_complete=formats_like,
    help="One of the formats below. Repeat it for several; each then gets a folder of its own.",
)
@click.option("--to", "folder", type=NEW_FOLDER, required=True, help="The folder to write to.")
@click.option(
    "--anonymise", is_flag=True, help="Replace the names of speakers and speeches, the same way in every file."
)
@click.option("--force", is_flag=True, help="Replace files that exist already.")
def export(run: str, formats: tuple[str, ...], folder: Path, anonymise: bool, force: bool) -> None:
    """Write the results of RUN as files of other programs.

    A result that is damaged is left out and named; the exit code is then 1.
    """
    from pipeline.engine.finished import FinishedRun
    from pipeline.output import exports
    from pipeline.output.formatting import counted

    finished = FinishedRun(run, anonymise=anonymise, skip_damaged=True)
    for name in formats:
        target = folder / name if len(formats) > 1 else folder
        files = exports.export(finished, name, target, force=force)
        click.echo(f"{name}: {counted(len(files), 'file')} in {shown(target)}")
    for problem in finished.damaged.values():
        click.echo(printable(f"left out: {problem}"), err=True)
    sys.exit(1 if finished.damaged else 0)
