"""The queue, key points and cells of the flow, by mouse alone and by keyboard alone, on a desk and on a phone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pipeline.corpus.corrections import read_judgements
from pipeline.errors import RostrumError
from pipeline.records import Judgement, Label
from pipeline.report.build import write_report
from pipeline.report.editing import Editing
from pipeline.report.judging import questions
from pipeline.report.run_data import ReportData
from pipeline.report.server import editing_application
from pipeline.run import index
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Store
from tests.pipeline.report.conftest import TOKEN
from tests.pipeline.report.test_browser import assert_accessible_now, wait_until
from tests.pipeline.report.test_editor import SIZES, press
from tests.pipeline.report.test_server import asked, served_by
from tests.synthetic_run import debate, write_run

PLAYED = "document.getElementById('sound').currentTime"


class Judged(NamedTuple):
    """A made-up run as it is served, and the folder of its corpus."""

    store: Store
    corpus: Path
    port: int

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{TOKEN}/{name}"

    @property
    def lines(self) -> list[tuple[str, str, str | None, str]]:
        read, problems = read_judgements(self.corpus / "corrections")
        assert not problems
        return [(each.kind, each.of, each.speech, each.judgement) for each in read]


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Judged]:
    store, report, corpus = write_run(tmp_path / "run", debate()), tmp_path / "report", tmp_path / "corpus"
    corpus.mkdir()
    write_report(store, report)
    with served_by(editing_application(report, Editing(FinishedRun(store), corpus), TOKEN)) as port:
        yield Judged(store, corpus, port)


@pytest.fixture(params=SIZES)
def sized(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    width, height = SIZES[request.param]
    context = browser.new_context(viewport={"width": width, "height": height}, bypass_csp=True)
    yield context.new_page()
    context.close()


def test_what_is_least_sure_is_asked_first_and_what_was_said_is_not_asked_again(tmp_path: Path) -> None:
    store = write_run(tmp_path / "run", debate())
    data = ReportData.read(store)
    asked_about = questions(data)
    assert len({question.subject for question in asked_about}) == len(asked_about)
    assert asked_about[0].doubt == max(question.doubt for question in asked_about)
    mentions = [question for question in asked_about if question.kind == "mention"]
    assert not [question for question in mentions if (question.speech, question.of) in data.labels]
    first = mentions[0]
    answer = Judgement(
        motion=first.motion, kind="mention", judgement="cannot say", of=first.of, speech=first.speech, side=first.side
    )
    assert first.subject not in {question.subject for question in questions(data, [answer])}
    assert [question.subject for question in questions(data, most=3)] == [one.subject for one in asked_about[:3]]


def test_questions_are_spread_over_speeches_and_points(tmp_path: Path) -> None:
    data = ReportData.read(write_run(tmp_path / "run", debate()))
    first = questions(data, most=4)
    assert len({question.of for question in first}) > 2
    assert len({question.speech for question in first}) > 2


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_the_queue_is_answered(sized: Any, judged: Judged, how: str) -> None:
    sized.goto(judged.address("index.html"))
    link = sized.get_by_role("link", name="The queue")
    link.click() if how == "mouse" else link.press("Enter")
    wait_until(sized, "document.getElementById('progress').textContent.startsWith('Question 1 of')")
    assert_accessible_now(sized)
    assert sized.evaluate("document.documentElement.scrollWidth") <= sized.viewport_size["width"]
    answers = {"H Heard": "h", "N Not heard": "n", "W Wrong passage": "w", "C Cannot say": "c"}
    for number, (name, key) in enumerate(answers.items(), 2):
        press(sized, name) if how == "mouse" else sized.keyboard.press(key)
        wait_until(sized, f"document.getElementById('progress').textContent.startsWith('Question {number} of')")
    assert [line[-1] for line in judged.lines] == ["heard", "not heard", "wrong passage", "cannot say"]
    wait_until(sized, f"{PLAYED} > 0.1")
    press(sized, "Pause the passage") if how == "mouse" else sized.keyboard.press(" ")
    wait_until(sized, "document.getElementById('sound').paused")
    press(sized, "B Back") if how == "mouse" else sized.keyboard.press("b")
    wait_until(sized, "document.getElementById('progress').textContent.startsWith('Question 4 of')")
    assert [line[-1] for line in judged.lines] == ["heard", "not heard", "wrong passage"], "it was taken back"


def test_the_queue_ends_and_begins_where_it_was_left(page: Any, judged: Judged) -> None:
    count = len(questions(ReportData.read(judged.store)))
    page.goto(judged.address("queue.html"))
    for number in range(1, count + 1):
        if number == 3:
            page.reload()
        left = count - (2 if number > 2 else 0)
        at = number - (2 if number > 2 else 0)
        wait_until(page, f"document.getElementById('progress').textContent === 'Question {at} of {left}'")
        page.keyboard.press("h")
    wait_until(page, "document.getElementById('point').textContent.startsWith('All questions are answered')")
    page.reload()
    wait_until(page, "document.getElementById('point').textContent.startsWith('Nothing to ask')")
    assert [line[-1] for line in judged.lines] == ["heard"] * count


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_key_points_are_rewritten_merged_hidden_and_added(sized: Any, judged: Judged, how: str) -> None:
    sized.goto(judged.address("motions/phones.html"))
    sized.wait_for_selector(".judging-page")
    point = sized.locator("[data-side=pro] [data-point]").first
    of = point.get_attribute("data-point")

    def act(name: str, within: Any = point) -> None:
        button = within.get_by_role("button", name=name, exact=True)
        button.click() if how == "mouse" else button.press("Enter")

    act("Rewrite")
    sized.keyboard.type("Phones distract pupils")
    act("Keep") if how == "mouse" else sized.keyboard.press("Enter")
    wait_until(sized, "document.querySelector('.judged').textContent.startsWith('Rewritten: Phones distract pupils')")
    act("Hide")
    wait_until(sized, "document.querySelector('.judged').textContent.startsWith('Hidden')")
    assert judged.lines == [("key point", of, None, "hidden")]
    act("As found")
    wait_until(sized, "document.querySelector('.judged').textContent === ''")
    side = sized.locator("[aria-labelledby=key-points] [data-side=con]")
    side.get_by_placeholder("Another key point of this side").fill("Parents want to call")
    act("Add", side)
    side.get_by_text("Added: Parents want to call").wait_for()
    passage = point.get_by_role("button", name="Not this").first
    passage.click() if how == "mouse" else passage.press("Enter")
    point.get_by_role("button", name="Counts again").first.wait_for()
    assert [line[-1] for line in judged.lines] == ["added", "not heard"]
    assert_accessible_now(sized)
    assert sized.evaluate("document.documentElement.scrollWidth") <= sized.viewport_size["width"]


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_cell_of_the_flow_is_corrected_and_the_next_run_uses_it(sized: Any, judged: Judged, how: str) -> None:
    sized.goto(judged.address("flows/phones.html"))
    sized.wait_for_selector(".judging-page")
    cell = sized.locator("td[data-point].made").first
    point, speech = cell.get_attribute("data-point"), cell.get_attribute("data-speech")
    chosen = cell.get_by_role("combobox")
    if how == "mouse":
        chosen.select_option("answered")
    else:
        chosen.focus()
        sized.keyboard.type("answered")
    wait_until(sized, "document.querySelector('.judged-cell') !== null")
    assert judged.lines == [("flow", point, speech, "answered")]
    sized.reload()
    sized.wait_for_selector(".judged-cell")
    assert_accessible_now(sized)

    known = index.load_known(judged.store)
    read, _ = read_judgements(judged.corpus / "corrections")
    index.save(known.model_copy(update={"known": known.known.model_copy(update={"judgements": read})}), judged.store)
    data = ReportData.read(judged.store)
    flow = data.flow(data.run.motions[0])
    row = next(row for row in flow.rows if row.text == point)
    assert (row.cells[speech].state, row.cells[speech].is_corrected) == ("answered", True)
    assert "answered,a person," in flow.csv()
    assert all(cell.state != "dropped" for id, cell in row.cells.items() if id != speech), "it was answered"


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b"no JSON",
        b'{"motion": "unknown", "kind": "flow", "judgement": "made", "of": "x", "speech": "exchange"}',
        b'{"motion": "phones", "kind": "flow", "judgement": "made", "of": "x", "speech": "unknown"}',
        b'{"motion": "phones", "kind": "mention", "judgement": "heard", "of": "x", "speech": "exchange"}',
        b'{"motion": "phones", "kind": "key point", "judgement": "added", "text": "a\\u001bb"}',
    ],
)
def test_what_is_about_nothing_is_refused(tmp_path: Path, content: bytes) -> None:
    judging = Editing(FinishedRun(write_run(tmp_path / "run", debate())), tmp_path).judging
    with pytest.raises(RostrumError, match="not a judgement"):
        judging.add(content)
    assert not (tmp_path / "corrections").exists()


def test_only_who_has_the_address_judges(judged: Judged) -> None:
    for path in ("/queue.html", "/queue.json", "/judgements?motion=phones"):
        assert asked(judged.port, path)[0].status == 404


def test_a_label_is_not_asked_about(tmp_path: Path) -> None:
    made = debate()
    data = ReportData.read(write_run(tmp_path / "a", made))
    mentioned = next(question for question in questions(data) if question.kind == "mention")
    made.labels = [*made.labels, Label(speech=mentioned.speech, argument=mentioned.of, mentioned=True)]
    data = ReportData.read(write_run(tmp_path / "b", made))
    assert mentioned.subject not in {question.subject for question in questions(data)}
