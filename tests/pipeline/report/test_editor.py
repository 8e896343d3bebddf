"""Every action of the editor, by mouse alone and by keyboard alone, on a desk and on a phone."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pipeline.corpus.corrections import last_correction, version
from pipeline.transcribe import Transcript
from tests.pipeline.report.conftest import Place, begin, keys
from tests.pipeline.report.test_browser import assert_accessible_now, wait_until

SIZES = {"desk": (1280, 768), "phone": (390, 740)}
Act = Callable[[Any, int], None]


@pytest.fixture(params=SIZES)
def sized(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    width, height = SIZES[request.param]
    context = browser.new_context(viewport={"width": width, "height": height}, bypass_csp=True)
    yield context.new_page()
    context.close()


def word(page: Any, place: int) -> Any:
    return page.locator(f"#draft [data-i='{place}']")


def texts(page: Any) -> list[str]:
    return page.locator("#draft .word").all_inner_texts()


def press(page: Any, name: str) -> None:
    """Click the button of that name with the mouse. Playwright refuses what is out of sight or covered."""
    button = page.get_by_role("button", name=name, exact=True)
    assert button.is_visible()
    box, size = button.bounding_box(), page.viewport_size
    assert 0 <= box["y"] <= size["height"] - box["height"], f"{name} is out of sight"
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def by_mouse(page: Any, place: int, name: str) -> None:
    word(page, place).click()
    press(page, name)


def go(page: Any, place: int) -> None:
    """Go to a word by the arrow keys alone."""
    while (at := page.evaluate("Number(document.activeElement.dataset.i)")) != place:
        keys(page, "ArrowRight" if at < place else "ArrowLeft")


def test_keys_work_after_a_click_on_a_word(sized: Any, place: Place) -> None:
    begin(sized, place)
    word(sized, 3).click()
    keys(sized, "ArrowRight", "Delete")
    assert texts(sized)[:5] == ["we", "shut", "ban", "phones", "distract"]
    word(sized, 1).dblclick()
    sized.keyboard.type("should")
    word(sized, 6).click()  # while a word is being written
    assert texts(sized)[1] == "should"
    keys(sized, "Delete")
    assert texts(sized)[5:8] == ["no", "do", "not"]


ACTIONS = {
    "Remove": ("Delete", ["we", "ban"], None),
    "Change": ("Enter", ["we", "should", "really", "ban"], "should really"),
    "Add after": ("i", ["we", "shut", "all", "ban"], "all"),
}


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_word_is_changed_added_and_removed(sized: Any, place: Place, how: str, name: str) -> None:
    key, expected, typed = ACTIONS[name]
    begin(sized, place)
    if how == "mouse":
        by_mouse(sized, 1, name)
    else:
        go(sized, 1)
        keys(sized, key)
    if typed:
        sized.keyboard.type(typed)
        word(sized, 0).click() if how == "mouse" else keys(sized, "Enter")
    assert texts(sized)[: len(expected)] == expected
    press(sized, "Undo") if how == "mouse" else keys(sized, "Control+z")
    assert texts(sized)[:3] == ["we", "shut", "ban"]
    press(sized, "Redo") if how == "mouse" else keys(sized, "Control+y")
    assert texts(sized)[: len(expected)] == expected
    with sized.expect_response("**/corrections/talk") as answer:
        press(sized, "Save") if how == "mouse" else keys(sized, "Control+s")
    assert answer.value.status == 200
    saved = place.run().of_speech(Transcript, "talk")
    assert saved
    assert saved.text.startswith(" ".join(expected))


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_sentences_are_joined_and_a_speaker_is_named(sized: Any, place: Place, how: str) -> None:
    begin(sized, place)
    assert sized.locator("#draft .line").count() == 3
    by_mouse(sized, 3, "End or join sentence") if how == "mouse" else (go(sized, 3), keys(sized, "."))
    assert sized.locator("#draft .line").count() == 2
    by_mouse(sized, 6, "Speaker") if how == "mouse" else (go(sized, 6), keys(sized, "s"))
    sized.keyboard.type("Victor")
    if how == "mouse":
        press(sized, "From this word to the end of the turn")
    else:
        keys(sized, "Tab", "Enter")
    assert sized.locator("#draft h3").all_inner_texts() == ["Nobody named", "Victor"]
    press(sized, "Save") if how == "mouse" else keys(sized, "Control+s")
    wait_until(sized, "document.querySelector('.dock output').textContent === ''")
    correction = last_correction(place.corpus, "talk")
    assert correction
    assert [each.speaker for each in correction.words or ()][5:7] == [None, "Victor"]


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_an_argument_is_marked_and_taken_back(sized: Any, place: Place, how: str) -> None:
    begin(sized, place)
    mark = sized.get_by_role("button", name="Not mentioned: They distract.")
    mark.click() if how == "mouse" else mark.press("Enter")
    press(sized, "Save") if how == "mouse" else keys(sized, "Control+s")
    undo = sized.get_by_role("button", name="Take back the last saved")
    wait_until(sized, "document.querySelector('.dock button:disabled') === null")
    correction = last_correction(place.corpus, "talk")
    assert correction
    assert correction.mentioned == {"focus": False}
    undo.click() if how == "mouse" else undo.press("Enter")
    wait_until(sized, "document.querySelector('[aria-pressed=true]') === null")
    assert last_correction(place.corpus, "talk") is None
    if how == "mouse":
        press(sized, "Close")
    else:
        word(sized, 0).press("Escape")
    assert sized.get_by_role("button", name="Correct this speech").is_visible()


def test_a_save_without_a_change_writes_nothing(page: Any, place: Place) -> None:
    begin(page, place)
    keys(page, "Control+s")
    wait_until(page, "document.getElementById('said').textContent.startsWith('Nothing has changed')")
    assert version(place.corpus, "talk") == 0


def test_what_can_be_done_stays_in_sight_and_leaves_room(sized: Any, place: Place) -> None:
    begin(sized, place)
    keys(sized, "s")
    height = sized.viewport_size["height"]
    dock = sized.get_by_role("toolbar", name="Corrections").bounding_box()
    assert dock["y"] + dock["height"] == height
    player = sized.locator(".player")
    covered = dock["height"] + (player.bounding_box()["height"] if player.count() else 0)
    assert covered < 0.4 * height
    assert sized.evaluate("document.documentElement.scrollWidth") <= sized.viewport_size["width"]
    assert_accessible_now(sized)
