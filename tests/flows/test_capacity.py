"""Room for one model at a time."""

import pytest

from flows import capacity


@pytest.mark.usefixtures("server")
def test_a_slot_that_nobody_holds_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    monkeypatch.setattr(capacity, "LOST_AFTER_SECONDS", 1.0)
    limit = capacity.device_limit()
    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(limit, GlobalConcurrencyLimitUpdate(active_slots=1))
        with capacity.slot_of(limit):
            assert client.read_global_concurrency_limit_by_name(limit).active_slots == 1
        assert client.read_global_concurrency_limit_by_name(limit).active_slots == 0
