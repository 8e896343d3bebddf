"""Room to run in: one model at a time has this machine's device, and light stages have its cores."""

import platform
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pipeline.machine import usable_cores
from pipeline.schedule import Capacity


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


def free_lost_slots(limit: str) -> None:
    """Empty a limit whose slots are held by nobody any more: a server that was killed forgets who held them."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(limit, GlobalConcurrencyLimitUpdate(active_slots=0))


def slot_of(limit: str | None) -> AbstractContextManager[Any]:
    """A slot of the global limit, waited for; without a limit, nothing."""
    if limit is None:
        return nullcontext()
    from prefect.concurrency.sync import concurrency

    return concurrency(limit, occupy=1, strict=True)
