"""Room to run in: one model at a time has this machine's device, and light stages have its cores."""

import platform
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.engine.schedule import Capacity
from pipeline.machine import usable_cores

LOCK = Path(tempfile.gettempdir(), "rostrum-device.lock")
LOST_AFTER_SECONDS = 5.0


def capacity_of(task_runner: Any) -> Capacity:
    """How many jobs to hand to a task runner at once. A cluster gets all that is ready, and knows its own workers."""
    kind = type(task_runner).__name__
    if kind == "ThreadPoolTaskRunner":
        return Capacity(heavy=1, light=usable_cores())
    if kind == "ProcessPoolTaskRunner":
        return Capacity(heavy=usable_cores(), light=usable_cores())
    return Capacity(heavy=10_000, light=10_000)


def device_limit() -> str:
    """The name of this machine's global concurrency limit on the Prefect server, which is made if it is not there."""
    from prefect.client.orchestration import get_client

    name = f"rostrum-device-{platform.node()}"
    with get_client(sync_client=True) as client:
        client.upsert_global_concurrency_limit_by_name(name, 1)
    return name


@contextmanager
def slot_of(limit: str | None) -> Iterator[None]:
    """A slot of the global limit, waited for; without a limit, nothing.

    A Prefect server that is restarted forgets who holds its slots, and they stay taken. So whoever wants one takes a
    lock of this machine first, which ends with its holder: a slot that is taken for all that is held by nobody.
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
