"""A page is made of the panels in its table."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import ChoiceLoader, DictLoader

from pipeline.records import Motion
from pipeline.report.build import write_report
from pipeline.report.page import PANELS, Panel, environment, panels, render
from pipeline.report.run_data import ReportData
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
    place = list(PANELS["motion"]).index("key-points") + 1
    added = {**dict(before[:place]), "spoken-words": f"{__name__}:SPOKEN_WORDS", **dict(before[place:])}
    monkeypatch.setitem(PANELS, "motion", added)
    templates = DictLoader({"motion/spoken-words.html.j2": "<p>{{ view }} words</p>"})
    monkeypatch.setattr(environment(), "loader", ChoiceLoader([environment().loader, templates]))
    page = data.motion_page(motion)
    names = [name for name, _, _ in page]
    assert names[:4] == ["map", "key-points", "spoken-words", "answers"]
    html = render("motion", root="../", page=page, motion=motion, flow=None, **data.on_every_page)
    assert '<h2 id="spoken-words">Spoken words</h2>' in html
    assert f"<p>{page['spoken-words']} words</p>" in html


def test_a_view_is_computed_once(tmp_path: Path) -> None:
    data = ReportData.read(write_run(tmp_path / "run", debate(seconds=4.0)))
    motion = data.run.motions[0]
    assert data.motion_page(motion)["key-points"] is data.motion_page(motion)["key-points"]
    assert data.front_page["overview"] is data.front_page["overview"]


def test_a_report_reads_each_artifact_once(tmp_path: Path, reads: Counter[str]) -> None:
    """Reading is most of the work of a report that has little to write."""
    store = write_run(tmp_path / "run", debate(seconds=4.0))
    artifacts = {name for name in store.listing() if name.count("/") and name.endswith(".json") and name[0] != "."}
    reads.clear()
    write_report(store, tmp_path / "report")
    assert {name: reads[name] for name in artifacts} == dict.fromkeys(artifacts, 1)


def test_damaged_artifacts_of_speeches_and_motions_are_on_the_front_page(tmp_path: Path) -> None:
    store = write_run(tmp_path / "run", debate(seconds=4.0))
    for name in ("exchange/segment.json", "_motions/buses/keypoints.json"):
        store.local(name).write_text("{}")
    data = ReportData.read(store)
    assert [line.partition(":")[0] for line in data.failures[1:]] == [
        str(store.local(name)) for name in ("exchange/segment.json", "_motions/buses/keypoints.json")
    ]
    facts = next(each for each in data.facts if each.speech.id == "exchange")
    assert facts.failure == data.failures[1]
