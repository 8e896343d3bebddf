"""`rostrum clean` and `rostrum metrics`."""

import click

from pipeline.printable import printable


@click.command()
@click.argument("run")
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
def clean(run: str, dry_run: bool) -> None:
    """Remove what lies in RUN and the run does not refer to: speeches that are gone, results that were replaced."""
    from pipeline.engine.store import Store
    from pipeline.operations.clean import remove, unreferred

    store = Store(run)
    paths = unreferred(store)
    if not dry_run:
        remove(store, paths)
    for path in paths:
        click.echo(printable(path))
    click.echo(f"{len(paths)} files {'would be ' if dry_run else ''}removed", err=True)


@click.command()
@click.argument("run")
def metrics(run: str) -> None:
    """Print the figures of RUN as Prometheus text."""
    from pipeline.engine.store import Store
    from pipeline.engine.summary import load
    from pipeline.errors import RostrumError
    from pipeline.operations.metrics import prometheus

    store = Store(run)
    summary = load(store)
    if summary is None:
        raise RostrumError(f"{run}: no run.json in it; is it the folder that `rostrum run --out` wrote?")
    click.echo(prometheus(summary), nl=False)
