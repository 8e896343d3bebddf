"""`rostrum server`: a Prefect server with its UI that is fast enough for runs over many speeches."""

import os
import socket
from pathlib import Path

import click

from flows.server.temporary import COLLECTED, LOOPBACK, prefect_home
from pipeline.errors import RostrumError


@click.command()
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option("--port", default=4200, show_default=True, help="The port to listen on.")
def server(host: str, port: int) -> None:
    """Start a Prefect server and its UI, until interrupted.

    It is `prefect server start` with settings that make SQLite several times faster for many short runs.
    """
    from flows.current_folder import refuse_settings_of_prefect

    refuse_settings_of_prefect(Path.cwd())
    _try_to_listen(host, port)
    # Set before Prefect is imported. The UI uses the API at this address.
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


def _try_to_listen(host: str, port: int) -> None:
    """Raise an error if this process cannot listen there. The server itself would print a traceback."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise RostrumError(f"{host}:{port}: cannot listen there ({reason}); give another --port or --host") from error
