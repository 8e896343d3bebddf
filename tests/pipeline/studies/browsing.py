"""Simulated workers answer their whole sheets in a real browser: by keyboard, by mouse, or by touch on a phone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pipeline.studies.items import Answer, Answers, Item, Question
from pipeline.studies.server import StudyServer
from pipeline.studies.study import Sheet, StudyFolder, journal, read_journal
from tests.pipeline.report.test_server import served_by
from tests.pipeline.studies.people import Clock, Person, Truth, answers_of

Hand = Literal["keyboard", "mouse", "phone"]
HANDS: tuple[Hand, ...] = ("keyboard", "mouse", "phone")
_SCREENS = {"keyboard": (1280, 900), "mouse": (1280, 900), "phone": (390, 844)}
# Recordings that are not loaded, and are over as soon as they are begun. The clock is put forward by their length.
_NO_SOUND = """
const setAttribute = Element.prototype.setAttribute;
Element.prototype.setAttribute = function (name, value) {
  if (!(this.tagName === "AUDIO" && name === "src")) setAttribute.call(this, name, value);
};
HTMLMediaElement.prototype.play = function () {
  this.dispatchEvent(new Event("play"));
  setTimeout(() => this.dispatchEvent(new Event("ended")));
  return Promise.resolve();
};
"""
# Plays a recording as fast as Chromium can, until it is over.
_PLAYED = """number => new Promise((over) => {
  const audio = document.querySelectorAll("audio")[number];
  audio.playbackRate = 16;
  audio.addEventListener("ended", () => over());
})"""


@dataclass
class BrowserCrowd:
    """The workers of a study in one browser, each in a context of their own, and the truth that they know.

    The server's clock stands still, and is put forward by what is heard and by the time that a person takes. Those
    named in `listeners` really play the recordings of their first item to the end, sixteen times as fast.
    """

    browser: Any
    folder: StudyFolder
    people: dict[str, Person]
    truth: Truth
    listeners: frozenset[str] = frozenset()
    look: Callable[[str, Any], None] = lambda what, page: None

    def __post_init__(self) -> None:
        self.clock = Clock()

    def answer_everything(self, seed: int = 0) -> int:
        """Everybody answers the whole sheet. Returns the number of answers."""
        with self.served() as port:
            for number, worker in enumerate(self.people):
                self._one(worker, HANDS[number % len(HANDS)], port, np.random.default_rng([seed, number]))
        return sum(len(self.folder.study.sheet_of[worker].items) for worker in self.people)

    @contextmanager
    def served(self) -> Iterator[int]:
        with served_by(StudyServer(self.folder, self.clock).application(["127.0.0.1"])) as port:
            yield port

    def _one(self, worker: str, hand: Hand, port: int, random: np.random.Generator) -> None:
        width, height = _SCREENS[hand]
        context = self.browser.new_context(viewport={"width": width, "height": height}, has_touch=hand == "phone")
        page = context.new_page()
        if worker not in self.listeners:
            page.add_init_script(_NO_SOUND)
        page.goto(f"http://127.0.0.1:{port}/w/{self.folder.tokens[worker]}/")
        page.locator("#next:visible").wait_for()
        self.look("first", page)
        if page.locator("#agree").count():
            page.locator("#agree").check()
            page.locator("#next").click()
        page.get_by_role("button", name="Begin").click()
        sheet, given = self.folder.study.sheet_of[worker], []
        for place in range(len(sheet.items)):
            given.append(self._item(_Form(page, hand), sheet, place, random))
        page.get_by_text("Done. Thank you!").wait_for()
        self.look("done", page)
        context.close()
        stored = [one.answers for one in read_journal(journal(self.folder, worker)).given]
        assert stored == given, f"{worker}: what is stored is not what was answered"

    def _item(self, form: "_Form", sheet: Sheet, place: int, random: np.random.Generator) -> Answers:
        """One item is opened, heard and answered. Returns what was answered."""
        study, page, person = self.folder.study, form.page, self.people[sheet.worker]
        item = study.by_id[sheet.items[place]]
        page.get_by_text(f"{place + 1} of {len(sheet.items)}").wait_for()
        page.locator("#asked > *").first.wait_for()
        if item.seconds:
            assert page.locator("#asked input").count() == 0, "no question before the end"
            self.look("before", page)
            self.clock.now += item.seconds
            form.hear(really=sheet.worker in self.listeners and place == 0)
        page.locator("#asked [data-question]").first.wait_for()
        if sheet.worker in self.listeners:
            page.evaluate(_NO_SOUND)  # from the next item on
        self.clock.now += 2.0 if person.careless == "hasty" else person.seconds * random.uniform(0.7, 1.4)
        answers = answers_of(person, item, self.truth(item), random)
        form.answer(item, sheet.worker, study.seed, answers)
        self.look("answered", page)
        form.go_on()
        if place < sheet.training:
            page.locator(".verdict").wait_for()
            self.look("feedback", page)
            form.go_on()
        return answers


@dataclass(frozen=True)
class _Form:
    """The form in front of a worker, who has one way to use it."""

    page: Any
    hand: Hand

    def hear(self, *, really: bool) -> None:
        """Start every recording in turn, and wait for its end."""
        for number in range(self.page.locator(".player").count()):
            self._press(self.page.locator(".player .play").nth(number), "Space" if number == 0 else "")
            if really:
                self.page.evaluate(_PLAYED, number)

    def answer(self, item: Item, worker: str, seed: int, answers: Answers) -> None:
        """Give answers to all questions that are asked: first what is chosen, then texts."""
        asked = {question["id"]: question for question in item.for_worker(worker, seed)["questions"]}
        for question in sorted(item.questions, key=lambda each: each.kind == "text"):
            if question.id in answers:
                values = [option["value"] for option in asked[question.id]["options"]]
                self._question(question, values, answers[question.id])

    def _question(self, question: Question, values: list[str], answer: Answer) -> None:
        box = f'[data-question="{question.id}"]'
        if isinstance(answer, dict):
            for row, value in answer.items():
                self._choose(f'{box} [data-row="{row}"]', values, value)
        elif question.kind == "text":
            self.page.locator(f"{box} textarea").fill(answer)
        elif isinstance(answer, list):
            for value in answer:
                self._choose(box, values, value)
            if not answer:
                self._press(self.page.locator(f"{box} .none"), "0")
        else:
            self._choose(box, values, answer)

    def _choose(self, box: str, values: list[str], value: str) -> None:
        key = str(values.index(value) + 1) if values.index(value) < 9 else ""
        self._press(self.page.locator(f'{box} [data-value="{value}"]'), key)

    def _press(self, target: Any, key: str) -> None:
        if self.hand == "keyboard" and key:
            self.page.keyboard.press(key)
        elif self.hand == "phone":
            target.tap()
        else:
            target.click()

    def go_on(self) -> None:
        if self.hand == "keyboard":
            self.page.keyboard.press("Control+Enter")
        else:
            self._press(self.page.locator("#next"), "")
