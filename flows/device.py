"""One stage at a time uses this machine's device (its GPU, or its cores), whichever run it belongs to."""

import platform
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

LOCK = Path(tempfile.gettempdir(), "rostrum-device.lock")
LOST_AFTER_SECONDS = 5.0


def device_limit() -> str:
    """The name of this machine's global concurrency limit on the Prefect server, which is made if it is not there."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectAlreadyExists

    name = f"rostrum-device-{platform.node()}"
    with get_client(sync_client=True) as client, suppress(ObjectAlreadyExists):  # another run has just made it
        client.upsert_global_concurrency_limit_by_name(name, 1)
    return name


@contextmanager
def holding_device(limit: str | None) -> Iterator[None]:
    """Hold a slot of the global limit, once it is free; without a limit, hold nothing.

    A Prefect server that is restarted forgets who holds its slots, and they stay taken. So whoever wants one takes a
    lock of this machine first, which ends with its holder. A slot that stays taken while we hold the lock is stale.
    """
    if limit is None:
        yield
        return
    from filelock import FileLock
    from prefect.concurrency.sync import concurrency

    with FileLock(LOCK, mode=0o666), ExitStack() as held:
        # The lock stands in for a lease that a restarted server does not know.
        take = partial(concurrency, limit, occupy=1, strict=True, raise_on_lease_renewal_failure=False)
        try:
            held.enter_context(take(timeout_seconds=LOST_AFTER_SECONDS))
        except TimeoutError:
            _free(limit)
            held.enter_context(take())
        yield


def _free(limit: str) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(limit, GlobalConcurrencyLimitUpdate(active_slots=0))
