"""Room on this machine: one model at a time has the device, and no more light stages run than there are cores."""

import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from pipeline.machine import usable_cores
from pipeline.stage import Stage

_device = threading.Lock()
_cores = threading.BoundedSemaphore(usable_cores())


def device_limit() -> str:
    """The name of this machine's global concurrency limit on the Prefect server, which is made if it is not there."""
    from prefect.client.orchestration import get_client

    name = f"rostrum-device-{platform.node()}"
    with get_client(sync_client=True) as client:
        client.upsert_global_concurrency_limit_by_name(name, 1)
    return name


@contextmanager
def room_for(stage: Stage[..., Any], limit: str | None) -> Iterator[None]:
    """Wait until the stage may run: for the cores or the device, and for a slot of the global limit if there is one."""
    if not stage.heavy:
        with _cores:
            yield
        return
    with _device, _slot(limit):
        yield


def _slot(limit: str | None) -> Any:
    if limit is None:
        return nullcontext()
    from prefect.concurrency.sync import concurrency

    return concurrency(limit, occupy=1, strict=True)
