"""Waits for a Prefect server that stops answering in the middle of a run."""

import time

from flows.server.temporary import configured_url, is_healthy
from pipeline.errors import RostrumError
from pipeline.system.logs import logger

PATIENCE_SECONDS = 600.0
LOOK_SECONDS = 1.0
# The state of a task run that could not begin or end because the server did not answer.
OUTAGE = "ServerAway"
# The status codes of a server whose database is busy.
BUSY = frozenset({429, 500, 502, 503, 504})


def is_outage(error: BaseException | None) -> bool:
    """Whether the error was caused by a Prefect server that did not answer or was too busy.

    A `RostrumError` is not. It may be about another server, such as that of a large language model.
    """
    import httpx

    while error is not None and not isinstance(error, RostrumError):
        if isinstance(error, httpx.TransportError):
            return True
        if isinstance(error, httpx.HTTPStatusError) and error.response.status_code in BUSY:
            return True
        error = error.__cause__ or error.__context__
    return False


def wait_for_server() -> None:
    """Wait until the server answers again."""
    url, began = configured_url() or "", time.monotonic()
    if is_healthy(url):
        return
    logger.warning("the Prefect server at %s does not answer; waiting up to %.0f s for it", url, PATIENCE_SECONDS)
    while not is_healthy(url):
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise RostrumError(
                f"{url}: the Prefect server does not answer any more; results are stored: start it, and run again"
            )
        time.sleep(LOOK_SECONDS)
