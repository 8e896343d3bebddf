import os

import pytest

from flows.automations import DEAD_RUNS, SILENCE_SECONDS, ensure_dead_runs_are_noticed, send_heartbeats

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
        ensure_dead_runs_are_noticed()
    with get_client(sync_client=True) as client:
        known = client.request("POST", "/automations/filter", json={}).json()
    (own,) = [each for each in known if each["name"] == DEAD_RUNS]
    assert own["trigger"]["within"] == SILENCE_SECONDS
    assert own["trigger"]["match_related"]["prefect.resource.name"] == "process-corpus"
