"""A person goes through the report."""

from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.conftest import EMOJI, LONG, RIGHT_TO_LEFT
from tests.pipeline.report.test_server import served

AXE = Path(__file__).parents[2] / "assets" / "axe.min.js"
PASSAGE = "document.querySelector('#passage audio')"
PLAYED = "document.getElementById('audio').currentTime"


def opened(page: Any, report: Path, name: str = "index.html") -> None:
    page.goto((report / name).as_uri())


def wait_until(page: Any, condition: str) -> None:
    """Playwright's own waiting evaluates a string in the page, which the page's policy forbids."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


def column(page: Any, number: int) -> list[str]:
    return page.locator(f"#speeches-table tbody tr:visible > :nth-child({number})").all_inner_texts()


def names(page: Any) -> list[str]:
    return page.locator("#speeches-table tbody tr:visible .name a").all_inner_texts()


def speech(page: Any, report: Path, name: str) -> None:
    opened(page, report)
    page.locator(f".speech-table a[title='{name}']").click()
    page.wait_for_selector("body.ready")


def test_the_table_sorts(page: Any, report: Path) -> None:
    opened(page, report)
    heading = page.get_by_role("columnheader", name="WER")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    rates = [float(text.split()[0]) for text in column(page, 6) if text != "–"]
    assert rates == sorted(rates)
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert [float(text.split()[0]) for text in column(page, 6) if text != "–"] == sorted(rates, reverse=True)
    page.get_by_role("button", name="Recording", exact=False).first.click()
    assert names(page)[:4] == ["Anna", "Ben", "Carla", "Dan"]


def test_the_table_is_filtered(page: Any, report: Path) -> None:
    opened(page, report)
    page.locator("select[name=stance]").select_option("con")
    assert set(column(page, 3)) == {"against"}
    page.locator("select[name=motion]").select_option("phones")
    assert names(page) == ["Carla", "Dan"]
    page.get_by_role("searchbox", name="Search", exact=True).fill("dan")
    assert names(page) == ["Dan"]
    assert page.locator("output").inner_text() == "1 shown"


def test_it_plays_and_the_transcript_follows(page: Any, report: Path) -> None:
    speech(page, report, "phones/con_carla")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, f"{PLAYED} > 0.6")
    assert page.locator(".words .now").count() == 1
    page.get_by_role("button", name="Pause").click()
    at = page.evaluate(PLAYED)
    assert page.locator("#now").inner_text() == f"0:{int(at):02d}"


def test_a_word_is_heard_when_it_is_clicked(page: Any, report: Path) -> None:
    speech(page, report, "phones/con_carla")
    page.locator("[data-w='20']").click()
    start = page.evaluate("rostrum.speech.words.start[20]")
    wait_until(page, f"{PLAYED} > {start}")
    assert page.evaluate(PLAYED) < start + 2
    assert page.locator("[data-s='1']").get_attribute("class") == "sentence now"


def test_keys_and_tracks_move_the_position(page: Any, report: Path) -> None:
    speech(page, report, "phones/con_carla")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(PLAYED) == pytest.approx(5)
    page.keyboard.press("ArrowUp")
    assert page.evaluate(PLAYED) == pytest.approx(page.evaluate("rostrum.speech.sentences[0]"), abs=0.01)
    box = page.locator("#tracks").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert page.evaluate(PLAYED) == pytest.approx(6, abs=0.1)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("slider", name="Position").fill("2")
    assert page.evaluate(PLAYED) == pytest.approx(2)


def test_the_alignment_opens(page: Any, report: Path) -> None:
    speech(page, report, "phones/pro_anna")
    errors = page.locator(".words del, .words .said")
    assert errors.count() > 0
    assert not errors.first.is_visible()
    page.get_by_label("Errors against the reference").check()
    assert errors.first.is_visible()


def test_an_answer_leads_to_the_other_speech_and_is_heard(page: Any, report: Path) -> None:
    speech(page, report, "phones/con_carla")
    page.locator(".pairs .hear").nth(1).click()
    wait_until(page, f"{PASSAGE}.currentTime > 0.3")
    assert page.evaluate("document.getElementById('audio').paused")
    assert page.get_by_role("link", name="Anna, 0:00").is_visible(), "what is heard is said"
    page.get_by_role("button", name="Stop and close").click()
    assert page.evaluate(f"{PASSAGE}.paused")
    assert not page.locator("#passage").is_visible()
    page.locator(".answer header a").first.click()
    page.wait_for_selector("body.ready")
    assert page.locator("h1").inner_text() == "Anna"
    assert page.locator("#answers").inner_text() == "What answers it"


def test_the_matrix_leads_to_the_speech(page: Any, report: Path) -> None:
    opened(page, report)
    page.get_by_role("link", name="We should ban phones in schools.").click()
    page.locator(".matrix td.best a").first.click()
    page.wait_for_url("**/speeches/*#answers")
    assert page.locator("#answers").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["index.html", "search.html", "motions/phones.html", "speeches/*con_carla*", "speeches/exchange.html"]
)
def test_nothing_keeps_people_out(browser: Any, report: Path, name: str, scheme: str) -> None:
    assert_accessible(browser, next(report.glob(name)), scheme)


def test_nothing_keeps_people_out_of_hostile_pages(browser: Any, hostile_report: Path) -> None:
    for folder in ("speeches", "motions"):
        assert_accessible(browser, next(hostile_report.glob(f"{folder}/*.html")), "light")


def assert_accessible(browser: Any, path: Path, scheme: str) -> None:
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(path.as_uri())
    for box in page.locator("[data-show]").all():
        box.check()
    assert_accessible_now(page)
    context.close()


def assert_accessible_now(page: Any) -> None:
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []


def test_on_a_phone_the_argument_map_is_a_list(browser: Any, report: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 740})
    page = context.new_page()
    opened(page, report, "motions/phones.html")
    assert not page.locator(".argument-map").is_visible()
    points = page.locator(".map-list > li")
    assert points.count() == page.locator(".map-box").count() > 1
    assert all(box["x"] + box["width"] <= 390 for each in points.all() if (box := each.bounding_box()))
    assert "the other side on it" in points.first.inner_text()
    context.close()


def test_hostile_names_are_shown_and_not_run(page: Any, hostile_report: Path) -> None:
    for path in sorted(hostile_report.rglob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate("window.hacked") is None
        assert page.locator("img, b:not(.legend b)").count() == 0
    opened(page, hostile_report)
    text = page.locator("main").inner_text()
    assert all(each in text for each in (f"<b>{EMOJI}</b>", RIGHT_TO_LEFT, "<script>window.hacked=1"))
    page.locator(".speech-table a").nth(1).click()
    assert LONG in page.locator("main").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_needs_no_sideways_scrolling(page: Any, report: Path, hostile_report: Path) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for path in [*report.rglob("*.html"), *hostile_report.rglob("*.html")]:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_all_transcripts_are_searched(page: Any, report: Path) -> None:
    """From any page to every place where it was said, to hear it and to read it."""
    sentence = first_sentence(page, report)
    words = " ".join(sentence.split()[2:5])
    search = page.get_by_role("searchbox", name="Search all transcripts")
    search.fill(f'"{words.upper()}"')
    search.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    assert words in page.locator("#results mark").first.inner_text().lower()
    page.locator("#results section", has=page.get_by_role("heading", name="Carla")).locator(".hear").first.click()
    wait_until(page, f"{PASSAGE}.currentTime > 0.1")
    page.keyboard.press("Escape")
    assert not page.locator("#passage").is_visible()
    page.locator("main").get_by_role("searchbox").fill("nobody says this")
    assert page.locator("#count").inner_text() == "No sentence has all of that. Try fewer words."


def test_words_are_found_in_the_speech(page: Any, report: Path) -> None:
    sentence = first_sentence(page, report)
    page.keyboard.press("/")
    page.keyboard.type(" ".join(sentence.split()[:3]))
    assert page.locator("#find-count").inner_text().startswith("1 of ")
    assert page.locator(".found-now").all_inner_texts() == sentence.split()[:3]
    page.keyboard.press("Escape")
    assert page.locator(".found").count() == 0


def first_sentence(page: Any, report: Path) -> str:
    speech(page, report, "phones/con_carla")
    return str(page.locator(".words").first.inner_text()).strip()


def test_a_moment_has_a_link(page: Any, report: Path) -> None:
    speech(page, report, "phones/con_carla")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = page.locator(".moment").nth(1)
    link.focus()
    link.press("Enter")
    start = page.evaluate("rostrum.speech.sentences[1]")
    assert page.evaluate("location.hash") == f"#t={start}"
    address = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("body.ready")
    wait_until(page, f"{PLAYED} >= {start}")
    assert page.locator("[data-s='1']").get_attribute("class") == "sentence now"


def test_the_transcript_can_be_downloaded(page: Any, report: Path) -> None:
    sentence = first_sentence(page, report)
    for name, has in (("text", sentence), ("SRT subtitles", "00:00:0"), ("sentences (TSV)", "start\t")):
        href = page.get_by_role("link", name=name, exact=True).get_attribute("href")
        assert has in (report / "speeches" / href).read_text(encoding="utf-8")


def test_space_plays_after_a_click_on_a_button(page: Any, report: Path) -> None:
    """A click leaves no focus behind, on which space would press the button again."""
    speech(page, report, "phones/con_carla")
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_label("Emphasis").check()
    page.keyboard.press("Space")
    wait_until(page, f"{PLAYED} > 0.2")
    page.keyboard.press("Space")
    assert page.evaluate("document.getElementById('audio').paused")
    assert page.get_by_label("Emphasis").is_checked()


def test_the_view_is_zoomed_and_moved(page: Any, report: Path) -> None:
    """A pinch or Ctrl and the wheel zoom around the pointer; dragging moves the view, and plays nothing."""
    speech(page, report, "phones/con_carla")
    shown = (
        "[Number(document.getElementById('tracks').dataset.from), Number(document.getElementById('tracks').dataset.to)]"
    )
    wait_until(page, f"{shown}[1] === rostrum.speech.duration")
    box = page.locator("#tracks").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    wait_until(page, f"{shown}[1] < 11")
    start, end = page.evaluate(shown)
    assert (start + end) / 2 == pytest.approx(6, abs=0.1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 40, steps=4)
    page.mouse.up()
    wait_until(page, f"{shown}[0] > {start + (end - start) / 5}")
    assert page.evaluate(PLAYED) == 0


def test_it_prints_as_a_transcript(page: Any, report: Path) -> None:
    speech(page, report, "phones/con_carla")
    page.emulate_media(media="print")
    for hidden in (".player", ".switches", ".top .search", ".moment", ".hear", ".doubt-legend"):
        assert not page.locator(hidden).first.is_visible(), hidden
    shade = "getComputedStyle(document.querySelector('.words .doubt')).backgroundColor"
    assert page.evaluate(shade) == "rgba(0, 0, 0, 0)"
    assert page.locator(".words").first.is_visible()


def test_it_is_readable_without_scripts(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(next(report.glob("speeches/*con_carla*")).as_uri())
    assert page.locator("audio[controls]").is_visible()
    assert page.locator(".words").first.is_visible()
    assert not page.locator(".switches").is_visible()
    context.close()


def test_served_it_seeks(page: Any, report: Path) -> None:
    with served(report) as port:
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator(".speech-table a[title='phones/pro_anna']").click()
        page.wait_for_selector("body.ready")
        page.locator("[data-w='30']").click()
        start = page.evaluate("rostrum.speech.words.start[30]")
        wait_until(page, f"{PLAYED} > {start}")
        assert start > 1, "farther on than the beginning"
        page.goto("about:blank")


def test_the_passages_of_a_key_point_play_one_after_the_other(page: Any, report: Path) -> None:
    opened(page, report, "motions/phones.html")
    page.get_by_role("button", name="Play all 2").first.click()
    count = page.locator(".passage-count")
    assert count.inner_text() == "1 of 2"
    first = page.locator(".passage-link").inner_text()
    end = page.evaluate("Number(document.querySelector('.hear.now').dataset.end)")
    page.evaluate(f"{PASSAGE}.currentTime = {end}")
    wait_until(page, "document.querySelector('.passage-count').textContent === '2 of 2'")
    assert page.locator(".passage-link").inner_text() != first
    page.get_by_role("button", name="Previous passage").click()
    assert count.inner_text() == "1 of 2"
    page.keyboard.press("Escape")
    assert page.evaluate(f"{PASSAGE}.paused")


def test_the_map_leads_to_its_key_points(page: Any, report: Path) -> None:
    opened(page, report, "motions/phones.html")
    page.locator(".map-box").first.focus()
    assert page.locator(".map-link.traced").count() > 0, "its lines stand out"
    page.keyboard.press("Enter")
    point = page.locator(page.evaluate("location.hash"))
    assert point.locator(".claim").is_visible()
