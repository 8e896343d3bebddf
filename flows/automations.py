"""Automations on the Prefect server."""

import os
from datetime import timedelta

DEAD_RUNS = "rostrum: a run without heartbeat has crashed"
HEARTBEAT_SECONDS = 30
SILENCE_SECONDS = 3 * HEARTBEAT_SECONDS


def send_heartbeats() -> None:
    """Have this process's runs, and those that it starts, show that they live; to be called before Prefect is imported.

    Prefect's own interval is longer than the silence after which a run is taken for dead.
    """
    os.environ.setdefault("PREFECT_FLOWS_HEARTBEAT_FREQUENCY", str(HEARTBEAT_SECONDS))


def ensure_dead_runs_are_noticed() -> None:
    """A run whose process was killed does not stay 'Running': after some silence it is marked as crashed."""
    from prefect.automations import Automation
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.objects import StateType
    from prefect.events.actions import ChangeFlowRunState
    from prefect.events.schemas.automations import EventTrigger, Posture

    with get_client(sync_client=True) as client:
        known = client.request("POST", "/automations/filter", json={}).json()
    if DEAD_RUNS not in {automation["name"] for automation in known}:
        ends = {f"prefect.flow-run.{state}" for state in ("Completed", "Failed", "Cancelled", "Crashed")}
        Automation(
            name=DEAD_RUNS,
            trigger=EventTrigger(
                after={"prefect.flow-run.heartbeat"},
                expect={"prefect.flow-run.heartbeat", "prefect.flow-run.CompletedWithFailures", *ends},
                match={"prefect.resource.id": ["prefect.flow-run.*"]},
                # The runs of other flows on the server send theirs when they like.
                match_related={"prefect.resource.role": "flow", "prefect.resource.name": "process-corpus"},
                for_each={"prefect.resource.id"},
                posture=Posture.Proactive,
                threshold=1,
                within=timedelta(seconds=SILENCE_SECONDS),
            ),
            actions=[ChangeFlowRunState(state=StateType.CRASHED, message="no heartbeat: its process is gone")],
        ).create()
