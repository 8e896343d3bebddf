"""Where task runs go: threads of this process, processes of this machine, or the workers of a Dask cluster."""

from typing import Any

from prefect.concurrency.services import ConcurrencySlotAcquisitionWithLeaseService
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner

from pipeline.engine.schedule import Capacity
from pipeline.errors import RostrumError
from pipeline.system.cores import jobs_at_once, usable_cores
from pipeline.system.interrupt import end_with_parent

CONNECT_SECONDS = 20
FORGET_SECONDS = 5


def task_runner(on: str) -> Any:
    """The Prefect task runner for `threads`, `processes` or `dask://HOST:PORT`."""
    if on == "threads":
        return ThreadPoolTaskRunner(max_workers=usable_cores() + 1)
    if on == "processes":
        return ProcessPoolTaskRunner(max_workers=usable_cores(), initializer=end_with_parent)
    if on.startswith("dask://"):
        return _dask(on.removeprefix("dask://"))
    raise RostrumError(f"--on {on}: must be threads, processes or dask://HOST:PORT")


def capacity_of(task_runner: Any) -> Capacity:
    """How many jobs to submit to a task runner at once. A cluster gets all that are ready, and schedules them."""
    if isinstance(task_runner, ThreadPoolTaskRunner):
        return Capacity(device=1, others=jobs_at_once())
    if isinstance(task_runner, ProcessPoolTaskRunner):
        return Capacity(device=usable_cores(), others=usable_cores())
    return Capacity(device=10_000, others=10_000)


def _dask(address: str) -> Any:
    try:
        from prefect_dask import DaskTaskRunner
    except ImportError as error:
        raise RostrumError("--on dask://...: prefect-dask is not installed; pip install 'rostrum[dask]'") from error
    from distributed import Client

    try:
        with Client(f"tcp://{address}", timeout=CONNECT_SECONDS) as client:
            client.run(forget_server)
    except OSError as error:
        raise RostrumError(
            f"--on dask://{address}: no Dask scheduler answers there; start one: dask scheduler"
        ) from error
    return DaskTaskRunner(address=f"tcp://{address}")


async def forget_server() -> None:
    """End a worker's connections to the Prefect server of an earlier run, which may be gone."""
    # Awaitable, because this is called in a worker's event loop.
    ended: Any = ConcurrencySlotAcquisitionWithLeaseService.drain_all(timeout=FORGET_SECONDS)
    await ended
