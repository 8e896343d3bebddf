"""Runs of many speeches whose process was interrupted or killed: none of them stays Running."""

import os
import platform
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from flows.lost_runs import HOST, PROCESS, _cancel, end_lost_runs, running_here
from flows.server.temporary import is_alive

pytestmark = pytest.mark.usefixtures("server")
# More than the server gives at once.
MANY = 230


def begun(client: Any, name: str, process: int, count: int = 1) -> list[UUID]:
    """New runs in the state Running, with the label of a process of this machine."""
    flow = client.request("POST", "/flows/", json={"name": name}).json()["id"]
    labels = {HOST: platform.node(), PROCESS: process}
    wanted = {"flow_id": flow, "labels": labels, "state": {"type": "RUNNING"}}
    return [UUID(client.request("POST", "/flow_runs/", json=wanted).json()["id"]) for _ in range(count)]


def states(client: Any, runs: list[UUID]) -> Counter[str]:
    return Counter(client.read_flow_run(run).state.name for run in runs)


def test_all_runs_of_a_process_that_has_ended_are_ended() -> None:
    from prefect.client.orchestration import get_client

    gone = next(number for number in range(4_000_000, 5_000_000) if not is_alive(number))
    with get_client(sync_client=True) as client:
        runs = begun(client, "speech", gone, MANY)
        (this,) = begun(client, "process-corpus", os.getpid())
        assert {run.id for run in running_here(client)} >= {*runs, this}
        end_lost_runs(this)
        assert states(client, runs) == {"Crashed": MANY}
        assert states(client, [this]) == {"Running": 1}
        _cancel(this, 5.0)


def test_an_interrupt_cancels_a_run_with_all_of_its_speeches() -> None:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        runs = begun(client, "speech", os.getpid(), MANY)
        (this,) = begun(client, "process-corpus", os.getpid())
        _cancel(this, 30.0)
        assert states(client, [this, *runs]) == {"Cancelled": MANY + 1}
