"""`rostrum settings`."""

import json
import os
from pathlib import Path

import click

from pipeline.cli.console.options import setting_options


@click.command()
@setting_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def settings(assignments: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """List every setting with its value, where the value came from, and what it does.

    --set overrules the environment, and the environment overrules a file (rostrum.toml): see docs/settings.md."""
    from pipeline import configuration

    effective = configuration.load(file, os.environ, assignments)
    rows = [
        {"setting": name, "value": value, "from": origin, "meaning": meaning}
        for name, value, origin, meaning in effective.rows()
    ]
    if as_json:
        click.echo(json.dumps(rows))
        return
    from pipeline.cli.console.tables import print_rows

    print_rows("settings", [{**row, "value": json.dumps(row["value"])} for row in rows])
