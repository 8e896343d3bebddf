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


def test_a_run_shows_itself_in_a_line() -> None:
    """A notebook prints what `rostrum.run` returns."""
    summary = RunSummary(
        corpus="talks",
        started="now",
        seconds=12.3,
        flow_run=None,
        settings=Settings(),
        problems=["talks/bad.wav: cannot be decoded as audio"],
        items=[ItemSummary(id=id, scope=id, motion=None, outcomes=[]) for id in ("anna", "ben")],
    )
    assert repr(summary) == "<run of talks: 2 speeches in 12 s, 1 failed; read it with rostrum.load>"
