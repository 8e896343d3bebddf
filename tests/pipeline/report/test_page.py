"""A page is made of the panels in its table."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import ChoiceLoader, DictLoader

from pipeline.counter.record import CounterScores
from pipeline.keypoints.record import KeyPoints
from pipeline.records import Motion, Record
from pipeline.report.page import PANELS, Panel, environment, panels, render
from pipeline.report.run_data import ReportData
from pipeline.run.finished import FinishedRun
from tests.synthetic_run import debate, write_run


def count_words(data: ReportData, motion: Motion) -> int:
    return sum(facts.words or 0 for facts in data.facts_on(motion.id))


SPOKEN_WORDS = Panel(view=count_words, title="Spoken words")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    panels.cache_clear()
    yield
    panels.cache_clear()


def test_a_panel_is_a_view_and_a_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line in the page's table and a template of its name are all that a panel needs."""
    data = ReportData.read(write_run(tmp_path / "run", debate(seconds=4.0)))
    motion = data.run.motions[0]
    before = list(PANELS["motion"].items())
    added = {**dict(before[:2]), "spoken-words": f"{__name__}:SPOKEN_WORDS", **dict(before[2:])}
    monkeypatch.setitem(PANELS, "motion", added)
    templates = DictLoader({"motion/spoken-words.html.j2": "<p>{{ view }} words</p>"})
    monkeypatch.setattr(environment(), "loader", ChoiceLoader([environment().loader, templates]))
    page = data.motion_page(motion)
    names = [name for name, _, _ in page]
    assert names[:4] == ["map", "key-points", "spoken-words", "answers"]
    html = render("motion", root="../", page=page, motion=motion, **data.on_every_page)
    assert '<h2 id="spoken-words">Spoken words</h2>' in html
    assert f"<p>{page['spoken-words']} words</p>" in html


def test_a_view_is_computed_once(tmp_path: Path) -> None:
    data = ReportData.read(write_run(tmp_path / "run", debate(seconds=4.0)))
    motion = data.run.motions[0]
    assert data.motion_page(motion)["key-points"] is data.motion_page(motion)["key-points"]
    assert data.front_page["overview"] is data.front_page["overview"]


def test_records_of_a_motion_are_not_read_again_for_each_speech(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They grow with the number of its speeches, so the time of a report would grow with its square."""
    data = ReportData.read(write_run(tmp_path / "run", debate(seconds=4.0)))
    read: Counter[type[Record]] = Counter()
    record = FinishedRun.of_motion

    def counted(run: FinishedRun, kind: type[Record], motion: str) -> Record | None:
        read[kind] += 1
        return record(run, kind, motion)

    monkeypatch.setattr(FinishedRun, "of_motion", counted)
    shown = [{name for name, _, _ in data.speech_page(facts)} for facts in data.facts]
    assert (
        sum("answers" in each for each in shown) > len(data.run.motions) < sum("key-points" in each for each in shown)
    )
    assert read[CounterScores] == read[KeyPoints] == len(data.run.motions)
