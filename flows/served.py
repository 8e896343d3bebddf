"""The temporary server's own process: a Prefect server that ends when the process that started it is gone."""

import os
import signal
import sys
import threading
import time
from typing import Any

WATCH_SECONDS = 1.0


def main() -> None:
    """Serve on the port given as the only argument."""
    import uvicorn

    _begin_to_write_at_once()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    uvicorn.run(
        "prefect.server.api.server:create_app", factory=True, host="127.0.0.1", port=int(sys.argv[1]), log_level="error"
    )


def _begin_to_write_at_once() -> None:
    """Have SQLite's transactions take their turn when they begin.

    Prefect's begin as readers. One that would then write fails when another has written in between, and whoever asked
    waits for seconds and asks again. Where many do, the server may even stand still for a minute.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration

    begin = AioSqliteConfiguration.begin_transaction

    def begin_to_write(self: Any, session: Any, with_for_update: bool = False) -> Any:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_to_write  # type: ignore[method-assign]


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
