"""The temporary server's own process: a Prefect server that ends when the process that started it is gone."""

import os
import signal
import sys
import threading
import time

WATCH_SECONDS = 1.0


def main() -> None:
    """Serve on the port given as the only argument."""
    import uvicorn

    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    uvicorn.run(
        "prefect.server.api.server:create_app", factory=True, host="127.0.0.1", port=int(sys.argv[1]), log_level="error"
    )


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
