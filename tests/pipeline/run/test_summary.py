import pytest

from pipeline.errors import RostrumError
from pipeline.run.configuration import Settings
from pipeline.run.store import Store
from pipeline.run.summary import FILE, ItemSummary, RunSummary, load, speech_rows


def test_a_summary_that_is_none_is_said() -> None:
    store = Store("memory://test-summary")
    assert load(store) is None
    store.write("", FILE, b"{}")
    with pytest.raises(RostrumError, match=r"run\.json: not what this version of rostrum writes .*delete it"):
        load(store)


def test_a_speech_that_a_killed_run_says_nothing_of_is_unfinished() -> None:
    killed = RunSummary(
        corpus="talks",
        started="now",
        seconds=0,
        flow_run=None,
        settings=Settings(),
        problems=[],
        items=[ItemSummary(id="anna", scope="anna", motion=None, outcomes=[])],
    )
    assert [row["status"] for row in speech_rows(killed)] == ["unfinished"]
