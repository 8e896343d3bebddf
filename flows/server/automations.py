"""Automations on the Prefect server: runs that died are marked, and somebody is told of what went wrong."""

import atexit
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from prefect.client.schemas.objects import FlowRun
    from prefect.events import Event

DEAD_RUNS = "rostrum: a run without heartbeat has crashed"
FAILURES = "rostrum: tell of runs that failed or crashed"
LONG_RUNS = "rostrum: tell of runs that take too long"
HEARTBEAT_SECONDS = 30
SILENCE_SECONDS = 3 * HEARTBEAT_SECONDS
LONG_HOURS = 12
# The states in which a run ends, by name, and those of them that somebody wants to hear of.
BAD_ENDS = ("CompletedWithFailures", "Failed", "Crashed")
ENDS = ("Completed", "NothingToDo", "Cancelled", *BAD_ENDS)
# The event that a run's process has ended in good order: a run that was paused has not ended, and has no heartbeat.
LEFT = "rostrum-process-ended"


def send_heartbeats() -> None:
    """Have this process's runs, and those that it starts, show that they live; to be called before Prefect is imported.

    Prefect's own interval is longer than the silence after which a run is taken for dead.
    """
    os.environ.setdefault("PREFECT_FLOWS_HEARTBEAT_FREQUENCY", str(HEARTBEAT_SECONDS))


def tell_when_process_ends(run: "FlowRun") -> None:
    """Have this process say that it ends, after its last heartbeat."""
    from prefect.events import Event, RelatedResource, Resource

    flow = {"id": f"prefect.flow.{run.flow_id}", "role": "flow", "name": "process-corpus"}
    (name,) = _events([LEFT])
    event = Event(
        event=name,
        resource=Resource({"prefect.resource.id": f"prefect.flow-run.{run.id}"}),
        related=[RelatedResource({f"prefect.resource.{key}": value for key, value in flow.items()})],
    )
    atexit.register(_send, event)


def _send(event: "Event") -> None:
    """Send an event at once. Prefect's own way is a thread, and it has ended when its process ends."""
    from prefect.client.orchestration import get_client
    from prefect.types import DateTime

    event.occurred = DateTime.now("UTC")
    with suppress(Exception), get_client(sync_client=True) as client:  # a server that is away
        client.request("POST", "/events", json=[event.model_dump(mode="json")])


def ensure_automations(notify: str | None = None) -> None:
    """Switch on what looks after runs and, with a webhook's URL, what tells of them. Also a step of prefect.yaml."""
    ensure_dead_runs_are_noticed()
    if notify:
        ensure_somebody_is_told(notify)


def ensure_dead_runs_are_noticed() -> None:
    """A run whose process was killed does not stay 'Running': after some silence it is marked as crashed."""
    from prefect.client.schemas.objects import StateType
    from prefect.events.actions import ChangeFlowRunState

    silence = _missing("heartbeat", ["heartbeat", LEFT, *ENDS], timedelta(seconds=SILENCE_SECONDS))
    action = ChangeFlowRunState(state=StateType.CRASHED, message="no heartbeat: its process is gone")
    _ensure(DEAD_RUNS, silence, action)


def ensure_somebody_is_told(url: str) -> None:
    """What went wrong is posted to a URL as `{"text": ...}`, which Slack, Mattermost and others show as a message."""
    from prefect.blocks.notifications import CustomWebhookNotificationBlock
    from prefect.events.actions import SendNotification
    from prefect.events.schemas.automations import EventTrigger, Posture

    content = {"text": "{{subject}}\n{{body}}"}
    block: Any = CustomWebhookNotificationBlock(name="rostrum", url=url, json_data=content)
    told: UUID = block.save("rostrum-notify", overwrite=True)
    ended: Any = EventTrigger(
        expect=_events(BAD_ENDS), **_OF_OUR_RUNS, posture=Posture.Reactive, threshold=1, within=timedelta(0)
    )
    body = "{{ flow_run.name }}: {{ flow_run.state.message }}\n{{ flow_run|ui_url }}"
    for name, trigger, what in (
        (FAILURES, ended, "{{ flow_run.state.name }}"),
        (LONG_RUNS, _missing("Running", ENDS, timedelta(hours=LONG_HOURS)), f"goes on for {LONG_HOURS} hours"),
    ):
        _ensure(name, trigger, SendNotification(block_document_id=told, subject=f"rostrum: {what}", body=body))


# The runs of other flows on the server are not our concern.
_OF_OUR_RUNS: dict[str, Any] = {
    "match": {"prefect.resource.id": ["prefect.flow-run.*"]},
    "match_related": {"prefect.resource.role": "flow", "prefect.resource.name": "process-corpus"},
    "for_each": {"prefect.resource.id"},
}


def _events(names: Iterable[str]) -> set[str]:
    return {f"prefect.flow-run.{name}" for name in names}


def _missing(after: str, expect: Iterable[str], within: timedelta) -> Any:
    """The trigger that fires where none of the expected events has followed another one in time."""
    from prefect.events.schemas.automations import EventTrigger, Posture

    return EventTrigger(
        after=_events([after]),
        expect=_events(expect),
        **_OF_OUR_RUNS,
        posture=Posture.Proactive,
        threshold=1,
        within=within,
    )


def _ensure(name: str, trigger: Any, action: Any) -> None:
    """Create the automation, or bring it up to date. One that was switched off stays so."""
    from prefect.automations import Automation
    from prefect.client.orchestration import get_client

    wanted = Automation(name=name, trigger=trigger, actions=[action])
    with get_client(sync_client=True) as client:
        found = client.request("POST", "/automations/filter", json={}).json()
        known = next((each for each in found if each["name"] == name), None)
        if known is None:
            wanted.create()
            return
        content = {**wanted.model_dump(mode="json", exclude={"id", "owner_resource"}), "enabled": known["enabled"]}
        client.request("PUT", "/automations/{id}", path_params={"id": known["id"]}, json=content)
