"""The process of the temporary server: a Prefect server that ends when the process that started it has ended."""

import asyncio
import os
import signal
import sys
import threading
import time
from typing import Any

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
    from filelock import FileLock
    from prefect.server.database import provide_database_interface
    from prefect.settings import get_current_settings

    from flows.server.temporary import prefect_home

    if not get_current_settings().server.database.migrate_on_start:
        return
    with FileLock(prefect_home() / "rostrum-database.lock"):
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
