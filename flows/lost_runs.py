"""Runs that were killed on this machine: marked as crashed by the next one."""

import os
import platform
from typing import Any
from uuid import UUID

HOST, PROCESS = "rostrum.host", "rostrum.process"
FLOWS = ("process-corpus", "speech", "motion")


def process_labels() -> dict[str, bool | int | float | str]:
    """What a run says of the process that does it."""
    return {HOST: platform.node(), PROCESS: os.getpid()}


def end_lost_runs(flow_run: UUID) -> None:
    """Sign this run, and end those whose process is gone, with the runs of their speeches and motions."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowFilter, FlowRunFilter
    from prefect.states import Crashed

    with get_client(sync_client=True) as client:
        client.update_flow_run_labels(flow_run, process_labels())
        running = client.read_flow_runs(
            flow_filter=FlowFilter.model_validate({"name": {"any_": [*FLOWS]}}),
            flow_run_filter=FlowRunFilter.model_validate({"state": {"type": {"any_": ["RUNNING"]}}}),
        )
        others = [run for run in running if run.labels.get(HOST) == platform.node() and run.id != flow_run]
        for run in others:
            if not _is_alive(run.labels.get(PROCESS)):
                client.set_flow_run_state(run.id, Crashed(message="its process ended without a word"), force=True)


def _is_alive(process: Any) -> bool:
    if process == os.getpid():
        return False  # a run of a process that had our number before us
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
