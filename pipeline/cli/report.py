"""`rostrum report`."""

from pathlib import Path

import click

from pipeline.cli.console.paths import NEW_FOLDER, shown
from pipeline.output import REPORT_PORT


@click.command()
@click.argument("run")
@click.option("--to", "folder", type=NEW_FOLDER, help="The folder to write to. Default: _report in RUN.")
@click.option("--serve", is_flag=True, help="Serve the report to this machine's browsers until interrupted.")
@click.option("--edit", is_flag=True, help="With --serve: correct transcripts in the pages; the next run uses them.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=REPORT_PORT,
    show_default=True,
    help="With --serve: the port. 0 takes a free one.",
)
def report(run: str, folder: Path | None, serve: bool, edit: bool, port: int) -> None:
    """Build an offline HTML report of RUN: web pages that need no server and no network.

    Only pages that have changed since the last report are written. With --serve --edit people correct words, speakers,
    sentences and mentions in the pages. Corrections are kept in the corpus.
    """
    from pipeline.cli.console.progress import progress_bar
    from pipeline.engine.finished import FinishedRun
    from pipeline.engine.store import Store
    from pipeline.output.report import default_folder, write_report
    from pipeline.output.report.editing import Editing
    from pipeline.system.interrupt import interruptible

    if edit and not serve:
        raise click.UsageError("--edit needs --serve: a page that is opened from disk cannot be corrected")
    store = Store(run)
    editing = Editing.of(FinishedRun(store)) if edit else None
    target = folder or default_folder(store)
    with progress_bar("report") as progress:
        front = interruptible(lambda: write_report(store, target, progress=progress), "interrupted")
    click.echo(shown(front))
    if serve:
        from pipeline.output.report.server import serve_folder

        if editing:
            again = f"rostrum run {editing.run.summary.corpus} --out {run}"
            click.echo(f"corrections go to {editing.corpus / 'corrections'}; to use them: {again}", err=True)
        serve_folder(target, port, lambda url: click.echo(f"{url} (Ctrl-C ends it)", err=True), editing)
