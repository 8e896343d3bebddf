"""A run that is interrupted, or cancelled in the UI, ends within seconds, whatever stage it is in.

Prefect's own cancellation is not enough: it waits for the stage that runs, it reaches only runs of a deployment, and
those no longer once their server has been away.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from uuid import UUID

from prefect.client.schemas.objects import FlowRun

from flows.lost_runs import PROCESS, STOPPED, running_here
from pipeline.system.interrupt import tidied_by

LOOK_SECONDS = 1.0
# How long the server may take for each answer: where somebody waits at a terminal, and in a run of a deployment.
AT_ONCE, SOON = 0.5, 5.0


@contextmanager
def cancellable(run: FlowRun) -> Iterator[None]:
    """Inside of this, a run that is cancelled in the UI is interrupted, and one that is interrupted is cancelled."""
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
    """Interrupt this process once somebody has cancelled its run."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        while not ended.wait(LOOK_SECONDS):
            with suppress(Exception):  # a server that is away for a while
                state = client.read_flow_run(flow_run).state
                if state and (state.is_cancelling() or state.is_cancelled()) and not ended.is_set():
                    # Before the signal: another one may come from whoever started this process, and the second one
                    # ends it at once.
                    _cancel(flow_run, SOON)
                    os.kill(os.getpid(), signal.SIGTERM)
                    return


def _cancel(flow_run: UUID, seconds: float) -> None:
    """Tell the server, if it answers in time, that a run and those of its speeches and motions are cancelled."""
    from prefect.client.orchestration import get_client
    from prefect.states import Cancelled

    with get_client(sync_client=True, httpx_settings={"timeout": seconds}) as client:
        ours = [run.id for run in running_here(client) if run.labels.get(PROCESS) == os.getpid()]
        for each in dict.fromkeys([flow_run, *ours]):
            client.set_flow_run_state(each, Cancelled(message=STOPPED), force=True)
