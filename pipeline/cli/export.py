"""`rostrum export`."""

from pathlib import Path

import click

from pipeline.cli.console.completion import formats_like
from pipeline.output.exports import FORMATS


def _checked(context: click.Context, option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(FORMATS.check(name.lower()) for name in names))


def _listed() -> str:
    """The formats with what each of them is, one per line; click leaves the lines as they are."""
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
@click.option(
    "--to", "folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to write to."
)
@click.option(
    "--anonymise", is_flag=True, help="Replace the names of speakers and speeches, the same way in every file."
)
def export(run: str, formats: tuple[str, ...], folder: Path, anonymise: bool) -> None:
    """Write the results of RUN as files of other programs."""
    from pipeline.engine.finished import FinishedRun
    from pipeline.output import exports
    from pipeline.output.formatting import counted

    finished = FinishedRun(run, anonymise=anonymise)
    for name in formats:
        target = folder / name if len(formats) > 1 else folder
        files = exports.export(finished, name, target)
        click.echo(f"{name}: {counted(len(files), 'file')} in {target}")
