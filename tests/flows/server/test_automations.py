import os
import subprocess
import sys
from typing import Any
from uuid import uuid4

import httpx
import pytest

from flows.server.automations import (
    DEAD_RUNS,
    FAILURES,
    FLOWS,
    LATE_RUNS,
    LONG_RUNS,
    SILENCE_SECONDS,
    ensure_automations,
    send_heartbeats,
)
from pipeline.errors import RostrumError
from tests.flows.servers import PATIENCE, until

FREQUENCY = "PREFECT_FLOWS_HEARTBEAT_FREQUENCY"


def test_heartbeats_come_more_often_than_silence_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FREQUENCY, raising=False)
    send_heartbeats()
    assert 2 * int(os.environ[FREQUENCY]) < SILENCE_SECONDS
    monkeypatch.setenv(FREQUENCY, "40")
    send_heartbeats()
    assert os.environ[FREQUENCY] == "40", "the user's own"


@pytest.mark.usefixtures("server")
def test_only_the_runs_of_this_flow_are_taken_for_dead() -> None:
    from prefect.client.orchestration import get_client

    for _ in range(2):
        ensure_automations()
    with get_client(sync_client=True) as client:
        known = client.request("POST", "/automations/filter", json={}).json()
    (own,) = [each for each in known if each["name"] == DEAD_RUNS]
    assert own["trigger"]["within"] == SILENCE_SECONDS
    assert own["trigger"]["match_related"]["prefect.resource.name"] == ["process-corpus", "dispatch-corpus"]


PAUSED = """
import sys
from uuid import UUID
from prefect.client.schemas.objects import FlowRun
from flows.server.automations import tell_when_process_ends

run, flow = map(UUID, sys.argv[1:3])
tell_when_process_ends(FlowRun(id=run, flow_id=flow), sys.argv[3])
"""


@pytest.mark.parametrize("name", FLOWS)
def test_a_process_that_ends_in_good_order_is_not_taken_for_dead(name: str, server: str) -> None:
    ensure_automations()
    automations = httpx.post(f"{server}/automations/filter", json={}, timeout=PATIENCE).json()
    (trigger,) = [each["trigger"] for each in automations if each["name"] == DEAD_RUNS]
    run, flow = uuid4(), uuid4()
    subprocess.run([sys.executable, "-c", PAUSED, str(run), str(flow), name], check=True)

    def ended() -> list[dict[str, Any]]:
        wanted = {"filter": {"resource": {"id": [f"prefect.flow-run.{run}"]}}}
        found: list[dict[str, Any]] = httpx.post(f"{server}/events/filter", json=wanted, timeout=PATIENCE).json()[
            "events"
        ]
        return found

    until(lambda: bool(ended()))
    (event,) = ended()
    assert event["event"] in trigger["expect"]
    wanted = trigger["match_related"]
    assert name in wanted["prefect.resource.name"]
    related = {**wanted, "prefect.resource.id": f"prefect.flow.{flow}", "prefect.resource.name": name}
    assert event["related"] == [related]


@pytest.mark.usefixtures("server")
def test_somebody_is_told_until_the_automation_is_switched_off() -> None:
    from prefect.automations import Automation
    from prefect.client.orchestration import get_client

    def known() -> dict[str, Any]:
        with get_client(sync_client=True) as client:
            found = client.request("POST", "/automations/filter", json={}).json()
        return {each["name"]: each for each in found if each["name"] in (FAILURES, LONG_RUNS, LATE_RUNS)}

    ensure_automations("https://hooks.example.org/one")
    assert set(known()) == {FAILURES, LONG_RUNS, LATE_RUNS}
    assert set(known()[FAILURES]["trigger"]["expect"]) == {
        "prefect.flow-run.Failed",
        "prefect.flow-run.Crashed",
    }
    assert known()[LONG_RUNS]["trigger"]["within"] == 12 * 3600
    assert known()[LATE_RUNS]["trigger"]["within"] == 15 * 60
    assert known()[LATE_RUNS]["trigger"]["after"] == ["prefect.flow-run.Late"]
    ensure_automations("https://hooks.example.org/one", long="2d", late="90s")
    assert (known()[LONG_RUNS]["trigger"]["within"], known()[LATE_RUNS]["trigger"]["within"]) == (48 * 3600, 90)
    with pytest.raises(RostrumError, match="--late soon: write it as a number and s, m, h or d, such as 15m"):
        ensure_automations("https://hooks.example.org/one", late="soon")
    automation: Any = Automation.read(name=FAILURES)
    automation.disable()
    ensure_automations("https://hooks.example.org/two")
    assert not known()[FAILURES]["enabled"]
    assert known()[LONG_RUNS]["enabled"]
