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
@click.option("--port", type=click.IntRange(0, 65535), default=REPORT_PORT, show_default=True, help="With --serve.")
def report(run: str, folder: Path | None, serve: bool, port: int) -> None:
    """Write RUN as web pages that open from disk: no server, no network.

    What has not changed since the report was last written is not written again.
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
