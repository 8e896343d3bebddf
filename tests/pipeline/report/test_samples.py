"""A person goes through the report of the samples, as they were processed by a recogniser."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.report.build import write_report
from pipeline.report.run_data import ReportData
from pipeline.run.store import Store
from tests.pipeline.report.test_browser import PLAYED, assert_accessible, column, names, opened, speech, wait_until

RUN = Path(__file__).parents[3] / "runs" / "audio_samples"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (RUN / "run.json").exists():
        pytest.skip("the samples have not been processed: rostrum run audio_samples")
    return write_report(Store(RUN), tmp_path_factory.mktemp("samples") / "report").parent


@pytest.mark.slow
def test_a_report_of_the_samples_reads_each_artifact_once(reads: Counter[str], tmp_path: Path) -> None:
    if not (RUN / "run.json").exists():
        pytest.skip("the samples have not been processed: rostrum run audio_samples")
    data = ReportData.read(Store(RUN))
    scopes = {item.scope: item for item in data.run.summary.items}
    artifacts = {
        name
        for name in data.run.store.listing()
        if (item := scopes.get(name.rpartition("/")[0])) and item.is_up_to_date(name.rpartition("/")[2][:-5])
    }
    reads.clear()
    write_report(Store(RUN), tmp_path / "report")
    assert {name: reads[name] for name in artifacts} == dict.fromkeys(artifacts, 1)


def test_from_the_front_page_to_the_speech_that_is_answered(page: Any, samples: Path) -> None:
    opened(page, samples)
    page.get_by_role("button", name="Words/min").click()
    paces = [int(text) for text in column(page, 7)]
    assert paces == sorted(paces)
    page.locator("select[name=motion]").select_option("schools")
    page.locator("select[name=stance]").select_option("con")
    assert sorted(names(page)) == ["David", "Lena", "Ruth"]

    page.locator(".speech-table a[title=schools_con_ruth]").click()
    page.wait_for_selector("body.ready")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, f"{PLAYED} > 1")
    page.locator("[data-w='30']").click()
    start = page.evaluate("rostrum.speech.words.start[30]")
    wait_until(page, f"{PLAYED} > {start}")

    page.locator(".pairs .hear").nth(1).click()
    wait_until(page, "document.querySelector('#passage audio').currentTime > 0.3")
    answered = page.locator(".answer header a").first
    name = answered.inner_text()
    assert name == "Anna", "whom she was recorded in answer to"
    answered.click()
    page.wait_for_selector("body.ready")
    assert page.locator("h1").inner_text() == name


def test_the_exchange_has_two_voices_and_an_alignment(page: Any, samples: Path) -> None:
    speech(page, samples, "schools_exchange")
    speakers = page.evaluate("rostrum.speech.speakers")
    assert len(speakers) == 2
    assert set(page.locator("h3.speaker").all_inner_texts()) == set(speakers)
    page.get_by_label("Errors against the reference").check()
    assert page.locator(".inserted, .substituted, .words del").first.is_visible()


@pytest.mark.parametrize("name", ["index.html", "motions/schools.html", "speeches/schools_con_ruth.html"])
def test_nothing_keeps_people_out_of_the_samples(browser: Any, samples: Path, name: str) -> None:
    assert_accessible(browser, samples / name, "light")
