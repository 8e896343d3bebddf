"""`rostrum clean` and `rostrum metrics`."""

import sys

import click

from pipeline.printable import printable


@click.command()
@click.argument("run")
@click.option("--dry-run", is_flag=True, help="Only list the files.")
@click.option("--yes", is_flag=True, help="Do not ask. Without a terminal, nothing is asked.")
def clean(run: str, dry_run: bool, yes: bool) -> None:
    """Delete leftover files that RUN no longer uses: of speeches that are gone, and of results that were replaced.

    The files are listed first. Files that rostrum did not write are left alone.
    """
    from pipeline.engine.store import Store
    from pipeline.operations.clean import orphaned_files, remove
    from pipeline.output.formatting import counted

    store = Store(run)
    leftovers = orphaned_files(store)
    for leftover in leftovers:
        click.echo(printable(leftover.name))
    total = f"{counted(len(leftovers), 'file')}, {sum(each.size for each in leftovers):,} bytes"
    if dry_run:
        click.echo(f"{total} would be deleted", err=True)
        return
    if leftovers and not yes and sys.stdin.isatty():
        click.confirm(f"Delete {total}?", abort=True, err=True)
    remove(store, leftovers)
    click.echo(f"{total} deleted", err=True)


@click.command()
@click.argument("run")
def metrics(run: str) -> None:
    """Print the figures of RUN as Prometheus text."""
    from pipeline.engine.store import Store
    from pipeline.engine.summary import load_known
    from pipeline.operations.metrics import prometheus

    click.echo(prometheus(load_known(Store(run))), nl=False)
