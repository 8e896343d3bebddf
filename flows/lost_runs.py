"""Runs that are cancelled, interrupted or killed: ends their processes, and their records on the server."""

import os
import platform
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.exceptions import ObjectNotFound
from prefect.states import Cancelled

from flows.server.temporary import is_alive
from pipeline.system.interrupt import tidied_by

# Ends runs on the server whose process was killed on this machine, and deletes scheduled runs that were missed.

HOST, PROCESS = "rostrum.host", "rostrum.process"
STOPPED = "stopped; finished results are kept"
# How many runs the server ends with one request.
BULK = 50
FLOWS = ("process-corpus", "speech", "motion")
# The tag of runs that nobody has started by hand.
AUTOMATIC = "automatic"


def process_labels() -> dict[str, bool | int | float | str]:
    """The labels of a flow run that name the process of the run."""
    return {HOST: platform.node(), PROCESS: os.getpid()}


def sign(flow_run: UUID) -> None:
    """Label a run with this process."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        client.update_flow_run_labels(flow_run, process_labels())


def end_lost_runs(this: UUID | None = None, *, stopped: UUID | None = None) -> None:
    """End the runs of this machine whose process has ended, except `this`, with those of their speeches and motions.

    Their state becomes crashed; or cancelled, if somebody was cancelling them or their deployment was `stopped`. A run
    of a stopped deployment may be so new that it has no label yet.
    """
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.objects import State
    from prefect.states import Crashed

    crashed: State[Any] = Crashed(message="its process has ended without reporting a result")
    with get_client(sync_client=True) as client:
        lost = [
            run for run in running_here(client, stopped) if run.id != this and not _is_alive(run.labels.get(PROCESS))
        ]
        for run in lost:
            if stopped or run.state.is_cancelling():
                client.set_flow_run_state(run.id, Cancelled(message=STOPPED), force=True)
        if not stopped:
            _end_all(client, [run.id for run in lost if not run.state.is_cancelling()], crashed)


def _end_all(client: Any, runs: Sequence[UUID], state: Any) -> None:
    """Set the state of these runs, many with one request. The server goes on with it if nobody waits for its answer."""
    for start in range(0, len(runs), BULK):
        part = runs[start : start + BULK]
        asked = {
            "flow_runs": {"id": {"any_": [str(run) for run in part]}},
            "state": {"type": state.type, "name": state.name, "message": state.message},
            "force": True,
        }
        try:
            client.request("POST", "/flow_runs/bulk_set_state", json=asked)
        except (httpx.HTTPStatusError, ObjectNotFound):  # a server of an older version
            for run in part:
                client.set_flow_run_state(run, state, force=True)


def running_here(client: Any, deployment: UUID | None = None) -> list[Any]:
    """The runs of this machine that have not ended, with those of their speeches and motions.

    With a `deployment` that is served here, also its runs that have no label yet.
    """
    from prefect.client.schemas.filters import FlowFilter, FlowRunFilter

    running = _every_page(
        client,
        flow_filter=FlowFilter.model_validate({"name": {"any_": [*FLOWS]}}),
        flow_run_filter=FlowRunFilter.model_validate({"state": {"type": {"any_": ["RUNNING", "CANCELLING"]}}}),
    )
    unsigned = [run for run in running if deployment and run.deployment_id == deployment and HOST not in run.labels]
    return unsigned + [run for run in running if run.labels.get(HOST) == platform.node()]


def _every_page(client: Any, **filters: Any) -> list[Any]:
    """All flow runs that a filter finds. The server gives 200 at a time."""
    from prefect.client.schemas.sorting import FlowRunSort

    runs: list[Any] = []
    while page := client.read_flow_runs(**filters, sort=FlowRunSort.ID_DESC, offset=len(runs)):
        runs += page
    return runs


def drop_waiting_runs(deployment: UUID, before: datetime | None = None) -> None:
    """Delete scheduled runs of a deployment that have not begun; with `before`, only those planned before that time."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter

    # Without `before`, no process is left that could begin them, not even those that are pending.
    states = ["SCHEDULED"] if before else ["SCHEDULED", "PENDING"]
    waiting: dict[str, Any] = {"deployment_id": {"any_": [deployment]}, "state": {"type": {"any_": states}}}
    if before:
        waiting["expected_start_time"] = {"before_": before}
    with get_client(sync_client=True) as client:
        for each in _every_page(client, flow_run_filter=FlowRunFilter.model_validate(waiting)):
            if each.auto_scheduled or AUTOMATIC in each.tags:
                client.delete_flow_run(each.id)


def has_runs(deployment: UUID) -> bool:
    """Whether a run of a deployment goes on, or waits to begin."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter

    states = ["SCHEDULED", "PENDING", "RUNNING", "CANCELLING"]
    wanted = {"deployment_id": {"any_": [deployment]}, "state": {"type": {"any_": states}}}
    with get_client(sync_client=True) as client:
        return bool(client.read_flow_runs(flow_run_filter=FlowRunFilter.model_validate(wanted), limit=1))


def _is_alive(process: Any) -> bool:
    # A run with the number of this process belongs to an earlier process with the same number.
    return process not in (None, os.getpid()) and is_alive(int(process))


# Ends a run within seconds when it is interrupted, or cancelled in the UI, in any stage.
#
# Prefect's own cancellation is not enough. It waits for the current stage. It works only for runs of a deployment, and
# not after their server was away.

LOOK_SECONDS = 2.0
# How many seconds the server may take for each answer: if somebody waits at a terminal, and in a run of a deployment.
AT_ONCE, SOON = 0.5, 5.0


@contextmanager
def cancellable(run: FlowRun) -> Iterator[None]:
    """While this context is open, a run that is cancelled in the UI is interrupted, and the other way round."""
    seconds = SOON if run.deployment_id else AT_ONCE
    ended = threading.Event()
    watch = threading.Thread(target=copy_context().run, args=(_watch, run.id, ended), daemon=True)
    watch.start()
    try:
        with tidied_by(lambda: _cancel(run.id, seconds)):
            yield
    finally:
        ended.set()


def _watch(flow_run: UUID, ended: threading.Event) -> None:
    """Interrupt this process when somebody has cancelled its run."""
    with get_client(sync_client=True) as client:
        while not ended.wait(LOOK_SECONDS):
            with suppress(Exception):  # the server may not answer for a while
                state = client.read_flow_run(flow_run).state
                if state and (state.is_cancelling() or state.is_cancelled()) and not ended.is_set():
                    # Cancel before the signal. The program that started this process may send another signal, and a
                    # second one ends the process at once.
                    _cancel(flow_run, SOON)
                    os.kill(os.getpid(), signal.SIGTERM)
                    return


def _cancel(flow_run: UUID, seconds: float) -> None:
    """Set a run and those of its speeches and motions to cancelled on the server, if it answers in time."""
    with get_client(sync_client=True, httpx_settings={"timeout": seconds}) as client:
        cancelled: Any = Cancelled(message=STOPPED)
        client.set_flow_run_state(flow_run, cancelled, force=True)
        ours = [run.id for run in running_here(client) if run.labels.get(PROCESS) == os.getpid()]
        _end_all(client, [run for run in ours if run != flow_run], cancelled)
