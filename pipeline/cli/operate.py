"""`rostrum clean`, `metrics` and `settings`."""

import json
import os
import sys
from pathlib import Path

import click

from pipeline.cli.console import setting_options
from pipeline.errors import printable

# `rostrum clean` and `rostrum metrics`.


@click.command()
@click.argument("run")
@click.option("--dry-run", is_flag=True, help="Only list the files.")
@click.option("--yes", is_flag=True, help="Do not ask. Without a terminal, nothing is asked.")
def clean(run: str, dry_run: bool, yes: bool) -> None:
    """Delete leftover files that RUN no longer uses: of speeches that are gone, and of results that were replaced.

    The files are listed first. Files that rostrum did not write are left alone.
    """
    from pipeline.report.formatting import counted
    from pipeline.run.clean import orphaned_files, remove
    from pipeline.run.sharing import shared
    from pipeline.run.store import Store

    store = Store(run)
    leftovers = orphaned_files(store)
    for leftover in leftovers:
        click.echo(printable(leftover.name))
    total = f"{counted(len(leftovers), 'file')}, {sum(leftover.size for leftover in leftovers):,} bytes"
    if dry_run:
        click.echo(f"{total} would be deleted", err=True)
        return
    if leftovers and not yes and sys.stdin.isatty():
        click.confirm(f"Delete {total}?", abort=True, err=True)
    with shared(store, "rostrum clean", None, None):
        still = set(orphaned_files(store))  # a run may have ended while the user was asked
        leftovers = [leftover for leftover in leftovers if leftover in still]
        total = f"{counted(len(leftovers), 'file')}, {sum(leftover.size for leftover in leftovers):,} bytes"
        remove(store, leftovers)
    click.echo(f"{total} deleted", err=True)


@click.command()
@click.argument("run")
def metrics(run: str) -> None:
    """Print the figures of RUN as Prometheus text."""
    from pipeline.run.index import load_known
    from pipeline.run.store import Store
    from pipeline.run.telemetry import prometheus

    click.echo(prometheus(load_known(Store(run))), nl=False)


# `rostrum settings`.


@click.command()
@setting_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def settings(assignments: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """List every setting with its value, where the value came from, and what it does.

    --set overrules the environment, and the environment overrules a file (rostrum.toml): see docs/settings.md."""
    from pipeline.run import configuration

    effective = configuration.load(file, os.environ, assignments)
    rows = [
        {"setting": name, "value": value, "from": origin, "meaning": meaning}
        for name, value, origin, meaning in effective.rows()
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    from pipeline.cli.console import print_rows

    print_rows("settings", [{**row, "value": json.dumps(row["value"])} for row in rows])
