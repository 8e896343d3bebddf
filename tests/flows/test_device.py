"""One stage at a time uses the device."""

import pytest

from flows import device


@pytest.mark.usefixtures("server")
def test_a_slot_that_nobody_holds_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    monkeypatch.setattr(device, "LOST_AFTER_SECONDS", 1.0)
    limit = device.device_limit()
    with get_client(sync_client=True) as client:
        client.update_global_concurrency_limit(limit, GlobalConcurrencyLimitUpdate(active_slots=1))
        with device.holding_device(limit):
            assert client.read_global_concurrency_limit_by_name(limit).active_slots == 1
        assert client.read_global_concurrency_limit_by_name(limit).active_slots == 0
