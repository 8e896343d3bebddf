"""Automations on the Prefect server: they mark runs whose process died, and send messages about failures."""

import atexit
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from prefect.client.schemas.objects import FlowRun
    from prefect.events import Event

from pipeline.errors import RostrumError

DEAD_RUNS = "rostrum: a run without heartbeat has crashed"
FAILURES = "rostrum: tell of runs that failed or crashed"
LONG_RUNS = "rostrum: tell of runs that take too long"
LATE_RUNS = "rostrum: tell of runs that do not begin"
HEARTBEAT_SECONDS = 30
SILENCE_SECONDS = 3 * HEARTBEAT_SECONDS
LONG, LATE = "12h", "15m"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
# The names of the states in which a run ends. A message is sent for the bad ones.
BAD_ENDS = ("Failed", "Crashed")
ENDS = ("Completed", "Cancelled", *BAD_ENDS)
BEGUN = ("Pending", "Running", *ENDS)
# The flows whose runs are watched.
FLOWS = ["process-corpus", "dispatch-corpus"]
# The event that a run's process has ended normally. A paused run has not ended, but has no heartbeat.
LEFT = "rostrum-process-ended"


def send_heartbeats() -> None:
    """Make the runs of this process, and of processes that it starts, send heartbeats.

    Call it before Prefect is imported. Prefect's default interval is longer than `SILENCE_SECONDS`.
    """
    os.environ.setdefault("PREFECT_FLOWS_HEARTBEAT_FREQUENCY", str(HEARTBEAT_SECONDS))


def tell_when_process_ends(run: "FlowRun", name: str) -> None:
    """Send an event when this process ends, after the last heartbeat of the run. `name` is its flow's."""
    from prefect.events import Event, RelatedResource, Resource

    flow = {"id": f"prefect.flow.{run.flow_id}", "role": "flow", "name": name}
    (left,) = _events([LEFT])
    event = Event(
        event=left,
        resource=Resource({"prefect.resource.id": f"prefect.flow-run.{run.id}"}),
        related=[RelatedResource({f"prefect.resource.{key}": value for key, value in flow.items()})],
    )
    atexit.register(_send, event)


def _send(event: "Event") -> None:
    """Send an event at once. Prefect would use a thread, which has already ended when the process ends."""
    from prefect.client.orchestration import get_client
    from prefect.types import DateTime

    event.occurred = DateTime.now("UTC")
    with suppress(Exception), get_client(sync_client=True) as client:  # the server may not answer
        client.request("POST", "/events", json=[event.model_dump(mode="json")])


def ensure_automations(notify: str | None = None, long: str | None = None, late: str | None = None) -> None:
    """Create the automation that marks a run as crashed when its heartbeats have stopped.

    With the URL of a webhook, also create those that send messages: of runs that failed, of runs that take longer than
    `long`, and of runs that have not begun `late` after their time. A step of prefect.yaml calls this, too.
    """
    from prefect.client.schemas.objects import StateType
    from prefect.events.actions import ChangeFlowRunState

    limits = {LONG_RUNS: period(long or LONG, "--long"), LATE_RUNS: period(late or LATE, "--late")}
    silence = _missing("heartbeat", ["heartbeat", LEFT, *ENDS], timedelta(seconds=SILENCE_SECONDS))
    action = ChangeFlowRunState(state=StateType.CRASHED, message="no heartbeat: its process is gone")
    _ensure(DEAD_RUNS, silence, action)
    if notify:
        _ensure_messages(notify, limits)


def period(text: str, option: str) -> timedelta:
    """The time that a text such as 30s, 15m, 2h or 1d means. An error names the option that it was given for."""
    match = re.fullmatch(r"(\d+)([smhd])", text)
    if match is None or not int(match[1]):
        raise RostrumError(f"{option} {text}: write it as a number and s, m, h or d, such as 15m")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _ensure_messages(url: str, limits: Mapping[str, timedelta]) -> None:
    """Create the automations that post failures to a URL as `{"text": ...}`, for Slack, Mattermost and others."""
    from prefect.blocks.notifications import CustomWebhookNotificationBlock
    from prefect.events.actions import SendNotification
    from prefect.events.schemas.automations import EventTrigger, Posture

    content = {"text": "{{subject}}\n{{body}}"}
    block: Any = CustomWebhookNotificationBlock(name="rostrum", url=url, json_data=content)
    webhook: UUID = block.save("rostrum-notify", overwrite=True)
    ended: Any = EventTrigger(
        expect=_events(BAD_ENDS), **_OF_OUR_RUNS, posture=Posture.Reactive, threshold=1, within=timedelta(0)
    )
    body = "{{ flow_run.name }}: {{ flow_run.state.message }}\n{{ flow_run|ui_url }}"
    for name, trigger, what in (
        (FAILURES, ended, "{{ flow_run.state.name }}"),
        (LONG_RUNS, _missing("Running", ENDS, limits[LONG_RUNS]), f"has run for {limits[LONG_RUNS]}"),
        (LATE_RUNS, _missing("Late", BEGUN, limits[LATE_RUNS]), f"has not begun for {limits[LATE_RUNS]}"),
    ):
        _ensure(name, trigger, SendNotification(block_document_id=webhook, subject=f"rostrum: {what}", body=body))


# Matches only runs of our flows, not those of other flows on the server.
_OF_OUR_RUNS: dict[str, Any] = {
    "match": {"prefect.resource.id": ["prefect.flow-run.*"]},
    "match_related": {"prefect.resource.role": "flow", "prefect.resource.name": FLOWS},
    "for_each": {"prefect.resource.id"},
}


def _events(names: Iterable[str]) -> set[str]:
    return {f"prefect.flow-run.{name}" for name in names}


def _missing(after: str, expect: Iterable[str], within: timedelta) -> Any:
    """The trigger that fires if none of the expected events has followed the event `after` in time."""
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
    """Create or update the automation. One that was switched off stays off."""
    from prefect.automations import Automation
    from prefect.client.orchestration import get_client

    wanted = Automation(name=name, trigger=trigger, actions=[action])
    with get_client(sync_client=True) as client:
        automations = client.request("POST", "/automations/filter", json={}).json()
        known = next((automation for automation in automations if automation["name"] == name), None)
        if known is None:
            wanted.create()
            return
        content = {**wanted.model_dump(mode="json", exclude={"id", "owner_resource"}), "enabled": known["enabled"]}
        client.request("PUT", "/automations/{id}", path_params={"id": known["id"]}, json=content)
