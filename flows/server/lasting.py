"""`rostrum server`: a Prefect server with its UI that is fast enough for runs over many speeches."""

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import click

from flows.server.temporary import FOR_MANY_STAGES, LOOPBACK, prefect_home
from pipeline.errors import RostrumError

# Settings of a server that keeps its history. Browsers find the API where they find the UI, whatever name the server
# has for them. Runs are deleted after 90 days, events after a day. Slots of concurrency limits outlive a restart.
LASTING = {
    "PREFECT_UI_API_URL": "/api",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": str(90 * 24 * 3600),
    "PREFECT_SERVER_EVENTS_RETENTION_PERIOD": "P1D",
    "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
}


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
    # Set before Prefect is imported, and overruled by what the user has set.
    os.environ.update({**FOR_MANY_STAGES, **LASTING, **os.environ})
    import uvicorn
    from prefect.server.api.server import create_app

    begin_to_write_at_once()
    home = prefect_home()
    home.mkdir(parents=True, exist_ok=True)
    os.chdir(home)  # Prefect's migrations import from the current folder
    click.echo(f"Prefect UI: http://{host}:{port}", err=True)
    click.echo(_retention(), err=True)
    uvicorn.run(create_app(), host=host, port=port, log_level="error")


def _retention() -> str:
    """The line that says how long history is kept."""
    from prefect.settings import get_current_settings

    vacuum = get_current_settings().server.services.db_vacuum
    if "flow_runs" not in vacuum.enabled_vacuum_types:
        return "history: runs are kept for ever"
    days = vacuum.retention_period.total_seconds() / 86400
    setting = "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"
    return f"history: runs are deleted {days:.0f} days after their end; {setting} changes that"


def _try_to_listen(host: str, port: int) -> None:
    """Raise an error if this process cannot listen there. The server itself would print a traceback."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise RostrumError(f"{host}:{port}: cannot listen there ({reason}); give another --port or --host") from error


# The process of the temporary server: a Prefect server that ends when the process that started it has ended.

STOP_SECONDS = 5.0


def main() -> None:
    """Serve on the port given as the only argument, until stdin is closed."""
    # This comes first, because the process that started this one may have ended already.
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    import uvicorn
    from prefect.settings import PREFECT_API_DATABASE_MIGRATE_ON_START, temporary_settings
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    from flows.server.temporary import LOOPBACK

    make_database()
    begin_to_write_at_once()
    from prefect.server.api.server import create_app

    with temporary_settings(updates={PREFECT_API_DATABASE_MIGRATE_ON_START: False}):
        # A page of another site could otherwise reach this port under a name of its own.
        app = TrustedHostMiddleware(create_app(), allowed_hosts=[LOOPBACK])
        uvicorn.run(app, host=LOOPBACK, port=int(sys.argv[1]), log_level="error")


def make_database() -> None:
    """Create or update Prefect's database. Only one process at a time does this."""
    from prefect.server.database import provide_database_interface
    from prefect.settings import get_current_settings

    from flows.server.temporary import prefect_home
    from pipeline.system.lock import locked

    if not get_current_settings().server.database.migrate_on_start:
        return
    with locked(prefect_home() / "rostrum-database.lock"):
        asyncio.run(provide_database_interface().create_db())


def begin_to_write_at_once() -> None:
    """Make SQLite's transactions take the write lock when they begin.

    Prefect's transactions begin as readers. If another one has written before a transaction writes, it fails, and the
    client tries again after seconds. With many clients, the server may not answer for a minute.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration

    begin = AioSqliteConfiguration.begin_transaction

    def begin_to_write(self: Any, session: Any, with_for_update: bool = False) -> Any:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_to_write  # type: ignore[method-assign]


def _end_with_stdin() -> None:
    """End this process when stdin is closed, which means that the process that started it has ended."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
