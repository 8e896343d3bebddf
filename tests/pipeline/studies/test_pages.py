"""People answer every form in a real browser: by keyboard, by mouse, on a phone, and without a server."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.studies.exchange import add_answers
from pipeline.studies.pages import write_static_forms
from pipeline.studies.server import StudyServer
from pipeline.studies.study import StudyFolder, journal, read_journal
from tests.pipeline.report.test_browser import AXE
from tests.pipeline.report.test_server import served_by
from tests.pipeline.studies.conftest import Make
from tests.sounds import sine, write

REASON = "It names a study that anybody can check."
# A player that is at the end at once. The server's clock is as much faster.
FAST = """HTMLMediaElement.prototype.play = function () {
  this.dispatchEvent(new Event("play"));
  setTimeout(() => this.dispatchEvent(new Event("ended")), 60);
  return Promise.resolve();
};"""
FASTER = 100_000
PHONE = {"width": 390, "height": 844}


@contextmanager
def served(folder: StudyFolder, worker: str = "w1", faster: float = FASTER) -> Iterator[str]:
    """The address of a worker's form, served by a clock that runs faster."""
    start = time.time()
    server = StudyServer(folder, lambda: start + faster * (time.time() - start))
    with served_by(server.application(["127.0.0.1"])) as port:
        yield f"http://127.0.0.1:{port}/w/{folder.tokens[worker]}/"


@contextmanager
def begun(page: Any, folder: StudyFolder, faster: float = FASTER) -> Iterator[None]:
    """The first worker's form is served, and the page shows the first item."""
    with served(folder, faster=faster) as address:
        page.goto(address)
        page.get_by_role("button", name="Begin").click()
        yield


def heading(page: Any, text: str) -> None:
    page.get_by_text(text, exact=True).first.wait_for()


def hear_everything(page: Any) -> None:
    for number in range(page.locator(".player").count()):
        page.locator(".player .play").nth(number).click()
        page.locator(".player .play:disabled, .player .play").nth(number).wait_for()
    page.locator("#asked fieldset, #asked textarea").first.wait_for()


def fits(page: Any) -> None:
    """Nothing is wider than the screen, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))  # not as a script, which the page's policy forbids
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def given(folder: StudyFolder, worker: str = "w1") -> list[Any]:
    return [each.answers for each in read_journal(journal(folder, worker)).given]


def test_listening_by_keyboard(page: Any, make: Make) -> None:
    """Consent, guidelines, practice with feedback, and the next speech: no mouse, and no question before the end."""
    folder = make("listening", training=1, workers=4, options={"most": 2})
    page.add_init_script(FAST)
    with served(folder) as address:
        page.goto(address)
        page.get_by_role("button", name="Continue").wait_for()
        page.keyboard.press("Enter")
        assert "Tick the box" in page.locator("#message").inner_text()
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        heading(page, "Begin")
        fits(page)
        page.keyboard.press("Enter")
        page.locator(".player").wait_for()
        assert page.locator("#asked fieldset").count() == 0
        assert page.get_by_role("button", name="Next").is_disabled()
        fits(page)
        page.keyboard.press("Space")
        page.locator(".row").first.wait_for()
        rows = page.locator(".row").count()
        page.keyboard.press("Enter")
        assert page.locator("#message").inner_text() == "Answer every line."
        page.keyboard.press("1")
        page.keyboard.press("2")
        page.keyboard.press("0")
        fits(page)
        page.keyboard.press("Enter")
        page.locator(".verdict").wait_for()
        fits(page)
        page.keyboard.press("Enter")
        page.get_by_text("2 of ").wait_for()
    (first,) = given(folder)
    assert list(first["heard"].values()) == ["explicit", "implicit", *["no"] * (rows - 2)]


def test_a_recording_that_is_really_played(page: Any, make: Make, tmp_path: Path) -> None:
    """Two seconds of sound, heard in real time; it cannot be wound, and loading the page again does not help."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in ("a", "b", "c"):
        write(corpus / f"{name}.wav", sine(seconds=2.0))
    (corpus / "motions.csv").write_text("id,text\nm,We should.\n")
    (corpus / "speeches.csv").write_text("id,file,motion,stance\n" + "".join(f"{n},{n}.wav,m,pro\n" for n in "abc"))
    (corpus / "arguments.csv").write_text("id,motion,stance,title\nx,m,pro,It is right.\n")
    folder = make("listening", corpus, workers=3, consent=False)
    with begun(page, folder, faster=1):
        page.get_by_role("button", name="Play").click()
        page.wait_for_timeout(500)
        page.evaluate("document.querySelector('audio').currentTime = 1.9")
        page.wait_for_timeout(300)
        assert page.evaluate("document.querySelector('audio').currentTime") < 1.5
        assert page.locator(".row").count() == 0
        page.locator(".row").first.wait_for(timeout=10_000)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.get_by_text("2 of ").wait_for()
    assert given(folder) == [{"heard": {"a": "explicit"}}]


def test_counter_by_mouse(page: Any, make: Make) -> None:
    """Four speeches are heard; reasons are asked only of who is sure; reloading keeps what was chosen."""
    folder = make("counter", options={"none": True}, workers=4, consent=False, per_item=4)
    page.add_init_script(FAST)
    with begun(page, folder):
        page.locator(".player").nth(3).wait_for()
        hear_everything(page)
        page.get_by_label("None of them").check()
        page.get_by_label("A guess").check()
        assert not page.locator("[data-question=reasons]").is_visible()
        page.get_by_role("radio", name="Sure", exact=True).check()
        page.get_by_role("button", name="Next").click()
        assert "Choose" in page.locator("#message").inner_text()
        page.reload()
        page.locator(".player").nth(3).wait_for()
        hear_everything(page)
        assert page.get_by_label("None of them").is_checked()
        page.get_by_label("It answers the main issue of the first speech.").check()
        fits(page)
        page.get_by_role("button", name="Next").click()
        page.get_by_text("2 of ").wait_for()
    assert given(folder) == [{"answer": "none", "sure": "sure", "reasons": ["main"]}]


def test_pairs_on_a_phone(page: Any, make: Make, arguments: Path) -> None:
    folder = make("pairs", arguments, workers=3, consent=False)
    page.set_viewport_size(PHONE)
    with served(folder) as address:
        page.goto(address)
        fits(page)
        page.get_by_role("button", name="Begin").click()
        page.locator("#asked fieldset").first.wait_for()
        first = page.locator(".shown p").first.inner_text()
        page.get_by_label("Argument 1").check()
        page.get_by_label("Why?").fill("better")
        page.get_by_label("I have none").check()
        page.get_by_role("button", name="Next").click()
        assert "30" in page.locator("#message").inner_text()
        page.get_by_label("Why?").fill(REASON)
        fits(page)
        page.get_by_role("button", name="Next").click()
        page.get_by_text("2 of ").wait_for()
    ((answers),) = given(folder)
    item = folder.study.by_id[folder.study.sheet_of["w1"].items[0]]
    assert next(part.text for part in item.shown if part.id == answers["vote"]) == first, "what was first on the screen"
    assert answers["reason"] == REASON


def test_none_of_the_key_points(page: Any, make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "arguments.csv").write_text("arg_id,argument,topic,stance\na1,It is warm.,Cats,1\na2,It purrs.,Cats,1\n")
    (folder / "key_points.csv").write_text("key_point_id,key_point,topic,stance\nk1,Warmth,Cats,1\nk2,Sound,Cats,1\n")
    study = make("keypoints", folder, workers=3, consent=False)
    page.set_viewport_size(PHONE)
    with begun(page, study):
        page.locator("#asked fieldset").first.wait_for()
        page.get_by_role("button", name="None of them").click()
        assert page.get_by_role("button", name="None of them").get_attribute("aria-pressed") == "true"
        fits(page)
        page.get_by_role("button", name="Next").click()
        page.get_by_text("2 of ").wait_for()
        page.get_by_label("Warmth").check()
        page.get_by_role("button", name="Next").click()
        heading(page, "Done. Thank you!")
        fits(page)
    assert given(study)[0] == {"points": []}
    assert len(given(study)[1]["points"]) == 1


def test_scores_by_keyboard_against_time(page: Any, make: Make) -> None:
    """One answer in time; then the time is over, and the form goes on by itself."""
    folder = make("scores", options={"medium": "text"}, workers=3, consent=False, limit=3.0, per_item=1)
    with served(folder, faster=1) as address:
        page.goto(address)
        page.get_by_role("button", name="Begin").wait_for()
        page.keyboard.press("Enter")
        page.locator("#asked fieldset").first.wait_for()
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        page.get_by_text("2 of ").wait_for()
        page.get_by_text("The time for the last question was over.").wait_for()
    first, second = read_journal(journal(folder, "w1")).given[:2]
    assert (first.answers, first.late) == ({"overall": "3"}, False)
    assert (second.answers, second.late) == ({}, True)


def test_sets_on_a_phone(page: Any, make: Make, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet"
    sheet.mkdir()
    (sheet / "sets.csv").write_text(
        'comparison,topic,stance,left,right,better\nc0,Cats,pro,"Warm (60%)","Loud (40%)",\n'
    )
    (sheet / "systems.json").write_text(json.dumps({"matches": {}, "comparisons": {"c0": ["ours", "theirs"]}}))
    folder = make("sets", sheet, workers=3, consent=False)
    page.set_viewport_size(PHONE)
    with begun(page, folder):
        page.get_by_label("List 2").check()
        fits(page)
        shown = page.locator(".shown p").nth(1).inner_text()
        page.get_by_role("button", name="Next").click()
        heading(page, "Done. Thank you!")
    ((answers),) = given(folder)
    assert {"a": "Warm (60%)", "b": "Loud (40%)"}[answers["better"]] == shown


def test_without_connection_nothing_is_lost(browser: Any, make: Make, arguments: Path) -> None:
    """The server ends while somebody answers. The form waits, and sends the answer when the server is back."""
    folder = make("pairs", arguments, workers=3, consent=False)
    context = browser.new_context()
    page = context.new_page()
    with begun(page, folder):
        page.get_by_label("Equally convincing").check()
        page.get_by_label("Why?").fill(REASON)
        page.get_by_label("I have none").check()
        context.set_offline(True)
        page.get_by_role("button", name="Next").click()
        page.get_by_text("No connection.").wait_for()
        context.set_offline(False)
        page.get_by_text("2 of ").wait_for()
    context.close()
    assert [each["vote"] for each in given(folder)] == ["equal"]


def test_a_form_without_a_server_hands_back_a_file(page: Any, make: Make, arguments: Path, tmp_path: Path) -> None:
    folder = make("pairs", arguments, workers=7, per_item=1)
    pages = list(write_static_forms(folder, tmp_path / "forms"))
    page.goto(pages[0].as_uri())
    page.locator("#agree").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Argument 2").check()
    page.get_by_label("Why?").fill(REASON)
    page.get_by_label("As these arguments").check()
    page.get_by_role("button", name="Next").click()
    heading(page, "Done. Thank you!")
    page.reload()
    heading(page, "Done. Thank you!")
    with page.expect_download() as download:
        page.locator("#next").click()
    path = tmp_path / "back.jsonl"
    download.value.save_as(path)
    assert add_answers(folder, path) == 1
    assert add_answers(folder, path) == 0
    ((answers),) = given(folder)
    item = folder.study.by_id[folder.study.sheet_of["w1"].items[0]]
    assert answers["vote"] == item.for_worker("w1", folder.study.seed)["shown"][1]["id"]


def test_transcripts_on_a_phone(page: Any, make: Make, run_of_a_talk: Path) -> None:
    """The text can be corrected while the stretch is heard, as often as wanted."""
    folder = make("transcripts", run_of_a_talk, workers=3, consent=False)
    page.set_viewport_size(PHONE)
    page.add_init_script(FAST)
    with begun(page, folder):
        page.locator(".player").wait_for()
        hear_everything(page)
        page.get_by_label("Every word that is said").fill("We should.")
        fits(page)
        page.get_by_role("button", name="Next").click()
        page.get_by_text("2 of ").wait_for()
    assert given(folder) == [{"text": "We should."}]


def test_speakers_on_a_phone(page: Any, make: Make, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    write(corpus / "talk.wav", sine(seconds=8.0))
    (corpus / "talk.rttm").write_text(
        "SPEAKER talk 1 0.0 4.0 <NA> <NA> A <NA> <NA>\nSPEAKER talk 1 4.0 4.0 <NA> <NA> B <NA> <NA>\n"
    )
    folder = make("speakers", corpus, workers=3, consent=False)
    page.set_viewport_size(PHONE)
    page.add_init_script(FAST)
    with begun(page, folder):
        page.locator(".player").wait_for()
        hear_everything(page)
        for key in "1213":
            page.keyboard.press(key)
        fits(page)
        page.get_by_role("button", name="Next").click()
        heading(page, "Done. Thank you!")
    assert given(folder) == [{"role": {"a": "debater", "b": "moderator"}, "side": {"a": "pro", "b": "none"}}]
