"""Five workers answer whole studies in Chromium: what is collected is what they know, and who is careless is found.

`benchmarks/study_in_browser.py` does this for every task, with fifty workers.
"""

from pathlib import Path
from typing import Any

import pytest

from pipeline.studies.collect import collect
from pipeline.studies.quality import Rules
from tests.pipeline.studies.browsing import BrowserCrowd
from tests.pipeline.studies.conftest import Make
from tests.pipeline.studies.people import Person

CAREFUL, HASTY = Person(noise=0.05), Person(noise=0.05, careless="hasty")


@pytest.mark.slow
def test_listening_by_five_workers(browser: Any, make: Make) -> None:
    """By keyboard, by mouse and on a phone; the first really plays a recording to its end."""
    folder = make("listening", workers=5, per_item=5, tests=1, training=1, options={"most": 3})
    people = {sheet.worker: CAREFUL for sheet in folder.study.sheets} | {"w5": HASTY}
    crowd = BrowserCrowd(browser, folder, people, lambda item: item.known, listeners=frozenset({"w1"}))
    assert crowd.answer_everything() == 25
    result = collect(folder, Rules())
    assert [each.worker for each in result.quality if each.left_out] == ["w5"]
    for item, labels in result.labelled():
        assert {each.unit.row: each.best for each in labels} == item.known["heard"]


@pytest.mark.slow
def test_pairs_by_five_workers(browser: Any, make: Make, arguments: Path) -> None:
    """The argument whose id comes last wins. One worker writes the same reason every time."""
    folder = make("pairs", arguments, workers=5, per_item=5)
    people = {sheet.worker: CAREFUL for sheet in folder.study.sheets} | {"w3": Person(careless="copies")}
    truth = {item.id: max(item.about, key=lambda letter: item.about[letter]) for item in folder.study.items}
    BrowserCrowd(browser, folder, people, lambda item: {"vote": truth[item.id]}).answer_everything()
    result = collect(folder, Rules())
    assert [each.worker for each in result.quality if each.left_out] == ["w3"]
    assert {item.id: labels[0].best for item, labels in result.labelled()} == truth
