"""Where task runs go: threads of this process, processes of this machine, or the workers of a Dask cluster."""

from typing import Any

from pipeline.errors import RostrumError
from pipeline.machine import usable_cores


def task_runner(on: str) -> Any:
    """The Prefect task runner for `threads`, `processes` or `dask://HOST:PORT`."""
    if on == "threads":
        from prefect.task_runners import ThreadPoolTaskRunner

        return ThreadPoolTaskRunner(max_workers=usable_cores() + 1)
    if on == "processes":
        from prefect.task_runners import ProcessPoolTaskRunner

        return ProcessPoolTaskRunner(max_workers=usable_cores())
    if on.startswith("dask://"):
        return _dask(on.removeprefix("dask://"))
    raise RostrumError(f"--on {on}: must be threads, processes or dask://HOST:PORT")


def _dask(address: str) -> Any:
    try:
        from prefect_dask import DaskTaskRunner
    except ImportError as error:
        raise RostrumError("--on dask://...: prefect-dask is not installed; pip install 'rostrum[dask]'") from error
    return DaskTaskRunner(address=f"tcp://{address}")
