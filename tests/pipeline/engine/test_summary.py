import pytest

from pipeline.engine.store import Store
from pipeline.engine.summary import FILE, load
from pipeline.errors import RostrumError


def test_a_summary_that_is_none_is_said() -> None:
    store = Store("memory://test-summary")
    assert load(store) is None
    store.write("", FILE, b"{}")
    with pytest.raises(RostrumError, match=r"run\.json: not what this version of rostrum writes .*remove it"):
        load(store)
