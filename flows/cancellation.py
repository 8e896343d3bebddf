"""Ends a run within seconds when it is interrupted, or cancelled in the UI, in any stage.

Prefect's own cancellation is not enough. It waits for the current stage. It works only for runs of a deployment, and
not after their server was away.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.states import Cancelled

from flows.lost_runs import PROCESS, STOPPED, running_here
from pipeline.system.interrupt import tidied_by

LOOK_SECONDS = 1.0
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
        ours = [run.id for run in running_here(client) if run.labels.get(PROCESS) == os.getpid()]
        for each in dict.fromkeys([flow_run, *ours]):
            client.set_flow_run_state(each, Cancelled(message=STOPPED), force=True)
