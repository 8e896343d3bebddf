"""A speech that can be corrected, as it is served."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline.corpus import open_corpus
from pipeline.report.build import write_report
from pipeline.report.editing import Editing
from pipeline.report.server import editing_application
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.finished import FinishedRun
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from tests.pipeline.report.test_server import served_by
from tests.synthetic_run import debate, write_run

TOKEN = "secret-in-the-address"
SAID = ["we", "shut", "ban", "phones", ".", "they", "distract", ".", "no", "they", "do", "not"]
STAGES = ("transcribe", "score", "segment")


@dataclass(frozen=True)
class Place:
    """A corpus, the run of it, and its report as it is served."""

    corpus: Path
    store: Store
    report: Path
    port: int

    def run(self) -> FinishedRun:
        execute(plan_run(open_corpus(self.corpus), self.store, Settings(), STAGES))
        return FinishedRun(self.store)

    def address(self, name: str = "speeches/talk.html") -> str:
        return f"http://127.0.0.1:{self.port}/{TOKEN}/{name}"


@pytest.fixture
def undrawn(tmp_path: Path) -> Store:
    """A run with nothing to draw: figures take most of the time of a report, and are files like others."""
    store = write_run(tmp_path / "run", debate(seconds=2.0))
    for drawn in (path for name in ("score", "prosody") for path in Path(store.root).rglob(f"{name}.json")):
        drawn.unlink()
    return store


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    words = [f"talk 1 {at / 2} 0.4 {word} 0.9\n" for at, word in enumerate(SAID) if word != "."]
    (corpus / "talk.ctm").write_text("".join(words), encoding="utf-8")
    (corpus / "motions.csv").write_text("id,text\nphones,We should ban phones.\n", encoding="utf-8")
    (corpus / "speeches.csv").write_text(
        "id,file,motion,stance,transcript\ntalk,,phones,pro,talk.ctm\n", encoding="utf-8"
    )
    (corpus / "arguments.csv").write_text("id,motion,stance,title\nfocus,phones,pro,They distract.\n", encoding="utf-8")
    store, report = Store(tmp_path / "run"), tmp_path / "report"
    execute(plan_run(open_corpus(corpus), store, Settings(), STAGES))
    write_report(store, report)
    with served_by(editing_application(report, Editing.of_run(FinishedRun(store)), TOKEN)) as port:
        yield Place(corpus, store, report, port)


def begin(page: Any, place: Place) -> None:
    page.goto(place.address())
    page.get_by_role("button", name="Correct this speech").press("Enter")
    page.wait_for_selector("#draft .word")


def keys(page: Any, *names: str) -> None:
    for name in names:
        page.keyboard.press(name)
