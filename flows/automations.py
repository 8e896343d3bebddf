"""Automations on the Prefect server."""

from datetime import timedelta

DEAD_RUNS = "rostrum: a run without heartbeat has crashed"


def ensure_dead_runs_are_noticed(silence: int) -> None:
    """A run whose process was killed does not stay 'Running': after `silence` seconds it is marked as crashed."""
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
                for_each={"prefect.resource.id"},
                posture=Posture.Proactive,
                threshold=1,
                within=timedelta(seconds=silence),
            ),
            actions=[ChangeFlowRunState(state=StateType.CRASHED, message="no heartbeat: its process is gone")],
        ).create()
