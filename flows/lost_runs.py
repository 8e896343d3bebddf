"""Runs that were killed on this machine are marked as crashed by the next one; runs that were missed are dropped."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from flows.server.temporary import is_alive
from pipeline.system.interrupt import tidied_by

CANCEL_SECONDS = 0.5
HOST, PROCESS = "rostrum.host", "rostrum.process"
FLOWS = ("process-corpus", "speech", "motion")


def process_labels() -> dict[str, bool | int | float | str]:
    """Labels of a flow run that say which process carries it out."""
    return {HOST: platform.node(), PROCESS: os.getpid()}


def end_lost_runs(flow_run: UUID) -> None:
    """Sign this run, and end those whose process is gone, with the runs of their speeches and motions."""
    from prefect.client.orchestration import get_client
    from prefect.states import Crashed

    with get_client(sync_client=True) as client:
        client.update_flow_run_labels(flow_run, process_labels())
        for run in _running_here(client):
            if run.id != flow_run and not _is_alive(run.labels.get(PROCESS)):
                client.set_flow_run_state(run.id, Crashed(message="its process ended without a word"), force=True)


def _running_here(client: Any) -> list[Any]:
    """The runs of this machine that have not ended, with those of their speeches and motions."""
    from prefect.client.schemas.filters import FlowFilter, FlowRunFilter

    running = client.read_flow_runs(
        flow_filter=FlowFilter.model_validate({"name": {"any_": [*FLOWS]}}),
        flow_run_filter=FlowRunFilter.model_validate({"state": {"type": {"any_": ["RUNNING"]}}}),
    )
    return [run for run in running if run.labels.get(HOST) == platform.node()]


def drop_waiting_runs(deployment: UUID, before: datetime | None = None) -> None:
    """Delete the runs of a deployment's schedule that have not begun, or only those planned before that time."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter

    waiting: dict[str, Any] = {"deployment_id": {"any_": [deployment]}, "state": {"type": {"any_": ["SCHEDULED"]}}}
    if before:
        waiting["expected_start_time"] = {"before_": before}
    with get_client(sync_client=True) as client:
        for each in client.read_flow_runs(flow_run_filter=FlowRunFilter.model_validate(waiting)):
            if each.auto_scheduled:
                client.delete_flow_run(each.id)


def _is_alive(process: Any) -> bool:
    # Our own number: a run of a process that had it before us.
    return process != os.getpid() and is_alive(int(process))


@contextmanager
def cancelled_by_interrupt(flow_run: UUID) -> Iterator[None]:
    """Inside of this, an interrupted run is marked as cancelled on the server, if the server answers at once."""

    def cancel() -> None:
        from prefect.client.orchestration import get_client
        from prefect.states import Cancelled

        with get_client(sync_client=True, httpx_settings={"timeout": CANCEL_SECONDS}) as client:
            ours = [run.id for run in _running_here(client) if run.labels.get(PROCESS) == os.getpid()]
            for each in dict.fromkeys([flow_run, *ours]):
                client.set_flow_run_state(each, Cancelled(message="interrupted"), force=True)

    with tidied_by(cancel):
        yield
