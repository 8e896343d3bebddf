"""`rostrum server`: a Prefect server with its UI that keeps up with runs over many speeches."""

import os
from pathlib import Path

import click

from flows.server.temporary import COLLECTED, LOOPBACK, prefect_home


@click.command()
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option("--port", default=4200, show_default=True, help="The port to listen on.")
def server(host: str, port: int) -> None:
    """Start a Prefect server and its UI, until interrupted.

    It is `prefect server start` with settings that store many short runs on SQLite several times as fast.
    """
    from flows.current_folder import refuse_settings_of_prefect

    refuse_settings_of_prefect(Path.cwd())
    # Before Prefect is imported. The UI asks the API at this address.
    os.environ.update({"PREFECT_UI_API_URL": f"http://{host}:{port}/api", **COLLECTED, **os.environ})
    import uvicorn
    from prefect.server.api.server import create_app

    from flows.server.served import begin_to_write_at_once

    begin_to_write_at_once()
    home = prefect_home()
    home.mkdir(parents=True, exist_ok=True)
    os.chdir(home)  # Prefect's migrations import from the current folder
    click.echo(f"Prefect UI: http://{host}:{port}", err=True)
    uvicorn.run(create_app(), host=host, port=port, log_level="error")
