"""`rostrum settings`."""

import json
import os
from pathlib import Path

import click

from pipeline.cli.completion import assignments_like


@click.command()
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="STAGE.SETTING=VALUE",
    help="Change a setting; repeatable.",
    shell_complete=assignments_like,
)
@click.option(
    "--settings", "file", type=click.Path(path_type=Path), help="A TOML file with settings. Default: ./rostrum.toml."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def settings(assignments: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """List every setting with its value, where the value came from, and what it does.

    A file (rostrum.toml) is overruled by the environment, and the environment by --set: see docs/settings.md."""
    from pipeline import configuration

    effective = configuration.load(file, os.environ, assignments)
    rows = [
        {"setting": name, "value": value, "from": origin, "meaning": meaning}
        for name, value, origin, meaning in effective.rows()
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    from pipeline.cli.tables import print_rows

    print_rows("settings", [{**row, "value": json.dumps(row["value"])} for row in rows])
