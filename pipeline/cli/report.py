"""`rostrum report`."""

from pathlib import Path

import click

from pipeline.output import REPORT_PORT


@click.command()
@click.argument("run")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to. Default: _report in RUN.",
)
@click.option("--serve", is_flag=True, help="Serve the report to this machine's browsers until interrupted.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=REPORT_PORT,
    show_default=True,
    help="With --serve: the port. 0 takes a free one.",
)
def report(run: str, folder: Path | None, serve: bool, port: int) -> None:
    """Build an offline HTML report of RUN: web pages that need no server and no network.

    Only pages that have changed since the last report are written.
    """
    from pipeline.cli.progress import progress_bar
    from pipeline.engine.store import Store
    from pipeline.output.report import default_folder, write_report

    store = Store(run)
    target = folder or default_folder(store)
    with progress_bar("report") as progress:
        front = write_report(store, target, progress=progress)
    click.echo(front)
    if serve:
        from pipeline.output.report.server import serve_folder

        serve_folder(target, port, lambda url: click.echo(f"{url} (Ctrl-C ends it)", err=True))
