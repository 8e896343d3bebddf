from collections.abc import Sequence

import pytest

from pipeline.errors import RostrumError
from pipeline.run.configuration import Settings
from pipeline.run.index import FILE, load
from pipeline.run.job import Outcome
from pipeline.run.store import Store
from pipeline.run.summary import ItemSummary, RunSummary, speech_rows
from pipeline.transcribe import TranscribeSettings


def test_a_summary_that_is_none_is_said() -> None:
    store = Store("memory://test-summary")
    assert load(store) is None
    store.write("", FILE, b"{}")
    with pytest.raises(RostrumError, match=r"run\.json: not what this version of rostrum writes .*delete it"):
        load(store)


def summary_of(
    *items: ItemSummary, settings: Settings | None = None, seconds: float = 0, problems: Sequence[str] = ()
) -> RunSummary:
    return RunSummary(
        corpus="talks",
        started="now",
        seconds=seconds,
        flow_run=None,
        settings=settings or Settings(),
        problems=list(problems),
        items=list(items),
    )


def test_a_speech_that_a_killed_run_says_nothing_of_is_unfinished() -> None:
    killed = summary_of(ItemSummary(id="anna", scope="anna", motion=None, outcomes=[]))
    assert [row["status"] for row in speech_rows(killed)] == ["unfinished"]


def test_a_speech_that_every_stage_skipped_is_not_called_cached_and_the_reason_is_told() -> None:
    def item(id: str) -> ItemSummary:
        reasons = {"ingest": "no audio file", "transcribe": "no reference transcript"}
        outcomes = [Outcome(stage=stage, scope=id, state="skipped", reason=why) for stage, why in reasons.items()]
        return ItemSummary(id=id, scope=id, motion=None, outcomes=outcomes)

    summary = summary_of(item("anna"), item("bernd"))
    assert [row["status"] for row in speech_rows(summary)] == ["skipped", "skipped"]
    assert summary.remarks == ["no words: anna, bernd: no reference transcript"]


def test_a_speech_of_doubtful_words_is_marked() -> None:
    def item(id: str, doubtful: float) -> ItemSummary:
        figures = {"words": 10.0, "doubtful": doubtful}
        outcome = Outcome(stage="transcribe", scope=id, state="run", figures=figures)
        return ItemSummary(id=id, scope=id, motion=None, outcomes=[outcome])

    def summary(model: str) -> RunSummary:
        settings = Settings(transcribe=TranscribeSettings(model=model))
        return summary_of(item("anna", 0.5), item("bernd", 0.6), settings=settings, seconds=1)

    assert [row["status"] for row in speech_rows(summary("small"))] == ["run", "run, doubtful words"]
    assert summary("small").doubts == ["bernd: most words are doubtful"]
    hint = "another language than English needs transcribe.model=small"
    assert summary("base.en").doubts == [f"bernd: most words are doubtful; {hint}"]


def test_a_run_shows_itself_in_a_line() -> None:
    """A notebook prints what `rostrum.run` returns."""
    items = [ItemSummary(id=id, scope=id, motion=None, outcomes=[]) for id in ("anna", "ben")]
    summary = summary_of(*items, seconds=12.3, problems=["talks/bad.wav: cannot be decoded as audio"])
    assert repr(summary) == "<run of talks: 2 recordings in 12 s, 1 failed; read it with rostrum.load>"
