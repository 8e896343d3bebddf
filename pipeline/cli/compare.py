"""`rostrum compare`."""

import json
from pathlib import Path

import click

from pipeline.cli.console.paths import FILE, NEW_FOLDER, shown
from pipeline.printable import printable


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with every table.")
@click.option("--to", "folder", type=NEW_FOLDER, help="Also write pages that align transcripts.")
@click.option(
    "--speakers",
    type=FILE,
    help="Who said what, as STM or SegLST: adds errors in words and speakers together (cpWER, tcpWER).",
)
def compare(runs: tuple[str, ...], as_json: bool, folder: Path | None, speakers: Path | None) -> None:
    """Compare runs of the same corpus: two models, settings or recognisers.

    The tables show word error rates, in all and by speaker, length and noise, with the interval of their difference to
    the first RUN. They also show the words that only one run gets right, the worst words, confusions and passages, and
    where the runs decide differently on mentions, answers and key points. One RUN alone shows where its errors are.
    """
    from pipeline.cli.console.progress import progress_bar
    from pipeline.cli.console.tables import print_rows
    from pipeline.engine.finished import FinishedRun
    from pipeline.output.comparison import compare as comparison

    finished = [FinishedRun(run, skip_damaged=True) for run in runs]
    found = comparison.compare(finished, speakers)
    if as_json:
        click.echo(json.dumps(comparison.as_json(found), allow_nan=False))
    else:
        for name, rows in found.tables.items():
            print_rows(name, rows)
        for line in comparison.lines(found):
            click.echo(printable(line))
    if folder:
        from pipeline.output.comparison.pages import write_comparison

        with progress_bar("pages") as progress:
            front = write_comparison(finished, found, folder, progress)
        click.echo(shown(front), err=as_json)
