"""The flow: what each speech does with each point; and the timeline of a recording with several people."""

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pipeline.corpus import open_corpus
from pipeline.counter import CounterScores
from pipeline.keypoints import KeyPointMatch, KeyPoints
from pipeline.keypoints.show import PointInSpeech
from pipeline.mentions import Mentions
from pipeline.records import Argument, Label, Passage, Sentence
from pipeline.report.build import write_report
from pipeline.report.flow import FlowCell, _in_order, _passages, _Point, _Rows
from pipeline.report.links import SpeechLink
from pipeline.report.run_data import ReportData
from pipeline.report.timeline import chapters, comes_up
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.finished import FinishedRun
from pipeline.run.plan import plan_run
from pipeline.run.scopes import scope_of_speech
from pipeline.run.store import Store
from pipeline.segment import Sentences
from pipeline.speakers import Person, Speakers
from tests.pipeline.report.test_browser import assert_accessible, opened, wait_until
from tests.synthetic_run import debate, panel, save_record, write_run
from tests.talk import spoken


@pytest.fixture(scope="module")
def panel_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = write_run(tmp_path_factory.mktemp("panel"), panel())
    return write_report(store, Path(store.root, "_report")).parent


def states(data: ReportData) -> dict[str, dict[str, str]]:
    """What each speech does with each point, by the beginning of its text."""
    found = data.flow(data.run.motions[0])
    return {row.anchor or row.text: {id: cell.state for id, cell in row.cells.items()} for row in found.rows}


def test_a_point_is_made_then_answered_or_dropped(tmp_path: Path) -> None:
    data = ReportData.read(write_run(tmp_path, panel()))
    assert states(data) == {
        "point-pro-1": {"panel/ida": "made", "panel/jon": "answered"},
        "point-con-1": {"panel/jon": "made", "panel/ida": "dropped"},
    }


def test_speeches_of_a_recording_are_in_the_order_of_the_opening_statements(tmp_path: Path) -> None:
    """Who says a word while being introduced does not begin the debate."""
    data = ReportData.read(in_turns(tmp_path))
    assert [column.id for column in data.flow(data.run.motions[0]).columns] == ["panel/jon", "panel/ida"]


def test_nobody_answers_a_point_before_who_suggests_it_begins(tmp_path: Path) -> None:
    """Her opening statement 'answered' what the next speech as a whole suggested."""
    data = ReportData.read(in_turns(tmp_path))
    rows = _Rows(data.flow(data.run.motions[0]).columns)
    early, late = (Passage(text="No.", start=at, end=at + 1) for at in (0.0, 20.0))
    for passages, answers in (([early], False), ([early, late], True)):
        point = _Point("Phones help.", "con", made={"panel/jon": []}, answered={"panel/ida": passages})
        cell = rows.row(point).cells.get("panel/ida")
        assert (cell is not None and cell.state == "answered") == answers
        assert cell is None or cell.said == (late,)


def test_a_debater_answers_whoever_most_of_the_turns_reply_to(tmp_path: Path) -> None:
    """Each speech of the one side was given one answer, although both debaters of the other replied to one speech."""
    made = panel()
    ida, jon, mod = made.people["panel"].people
    second = mod.model_copy(update={"role": "debater", "side": "pro"})
    made.people["panel"] = Speakers(people=(ida, jon, second), replies=())
    store = write_run(tmp_path, made)
    data = ReportData.read(store)
    scores = data.of_motion(CounterScores, "phones")
    assert scores is not None
    for replied in ("panel/ida", "panel/mod"):
        turns = {"panel/ida": 2, "panel/mod": 2, replied: 3}
        pairs = tuple(pair.model_copy(update={"turns": turns[pair.supporting]}) for pair in scores.pairs)
        save_record(store, data.run.scope_of_motion("phones"), "counter", scores.model_copy(update={"pairs": pairs}))
        answering = ReportData.read(store).answering("phones")["panel/jon"]
        assert (answering.to, answering.found_by) == (replied, "3 turns")  # and not the score, which another may win


def test_who_opens_an_exchange_answers_no_point_that_nobody_makes_in_it(tmp_path: Path) -> None:
    """The first speech 'answered' an argument that the other side made in other exchanges only."""
    data = ReportData.read(in_turns(tmp_path))
    rows = _Rows(data.flow(data.run.motions[0]).columns)
    said = [Passage(text="No.", start=20.0, end=21.0)]
    assert rows.row(_Point("Phones help.", "pro", answered={"panel/jon": said})).cells == {}
    assert rows.row(_Point("Phones harm.", "con", answered={"panel/ida": said})).cells["panel/ida"].state == "answered"


def in_turns(folder: Path) -> Store:
    """The run of a debate in which Ida says a word, then Jon and then Ida speak."""
    store = write_run(folder, panel())
    turns = (("Ida", 0, 1), ("Jon", 1, 15), ("Ida", 15, 30))
    said = tuple(
        Sentence(text=f"{who} speaks.", start=start, end=end, first=start, last=end, speaker=who)
        for who, start, end in turns
    )
    save_record(store, scope_of_speech("panel"), "segment", Sentences(sentences=said, method="lines"))
    return store


def test_who_speaks_in_two_recordings_on_a_motion_is_named_with_the_recording(tmp_path: Path) -> None:
    made = panel()
    made.speeches = [*made.speeches, made.speeches[0].model_copy(update={"id": "again"})]
    ida, jon, mod = made.people["panel"].people
    other = jon.model_copy(update={"key": "joan", "name": "Joan"})
    made.people["again"] = Speakers(people=(ida, other, mod), replies=())
    labels = {id: link.label for id, link in ReportData.read(write_run(tmp_path, made)).links.items()}
    parts = {id: label for id, label in labels.items() if "/" in id}
    assert parts == {
        "panel/ida": "Ida (panel)",
        "panel/jon": "Jon",
        "again/ida": "Ida (again)",
        "again/joan": "Joan",
    }


def test_who_makes_the_rebuttal_of_a_point_answers_it_and_who_says_so_is_said(tmp_path: Path) -> None:
    """Labels said that the other side makes the rebuttal, and the flow showed no answer."""
    made = panel()
    made.arguments = [
        Argument(id="focus", motion="phones", stance="pro", title="Phones distract.", counter="control"),
        Argument(id="control", motion="phones", stance="con", title="Pupils learn self-control.", counter="focus"),
    ]
    heard = (("panel/ida", "focus", True), ("panel/jon", "control", True), ("panel/ida", "control", False))
    made.labels = [Label(speech=speech, argument=argument, mentioned=is_made) for speech, argument, is_made in heard]
    data = ReportData.read(write_run(tmp_path, made))
    row = next(row for row in data.flow(data.run.motions[0]).rows if row.text == "Phones distract.")
    assert {id: (cell.state, cell.is_labelled) for id, cell in row.cells.items()} == {
        "panel/ida": ("made", True),
        "panel/jon": ("answered", True),
    }
    rebuttal = next(row for row in data.flow(data.run.motions[0]).rows if row.text == "Pupils learn self-control.")
    assert set(rebuttal.cells) == {"panel/jon"}, "Ida speaks first: she does not answer it"
    page = write_report(Store(tmp_path), tmp_path / "_report").parent / "flows/phones.html"
    assert "by its label in labels.csv" in page.read_text(encoding="utf-8")
    lines = list(csv.DictReader((page.with_suffix(".csv")).open(encoding="utf-8")))
    assert {line["by"] for line in lines if line["point"] == "Phones distract."} == {"labels.csv"}


def test_what_no_passage_shows_is_suggested_and_nothing_is_said_of_an_answer(tmp_path: Path) -> None:
    """A guess about a speech as a whole was shown as a point made, and the other side as silent on it."""
    made = debate()
    made.labels = []
    store = write_run(tmp_path, made)
    for id in ("phones/pro_anna", "phones/con_carla"):
        found = FinishedRun(store).of_speech(Mentions, id)
        assert found
        bare = [one.model_copy(update={"carriers": ()}) for one in found.mentions if one.argument == "focus"]
        save_record(store, id, "mentions", found.model_copy(update={"mentions": tuple(bare)}))
    data = ReportData.read(store)
    row = next(row for row in data.flow(data.run.motions[0]).rows if row.text == "Phones distract.")
    assert row.cells["phones/pro_anna"].label == "suggested"
    assert "phones/con_carla" not in row.cells


def test_a_speech_of_a_text_has_no_duration(tmp_path: Path) -> None:
    """Nobody knows how long it took to say: the motion's page had lengths of a debate that was only written down."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    turns = [("Ann", "Zoos are cages for animals."), ("Bob", "Zoos save rare animals.")]
    debate = {"motion": "Close zoos", "for": ["Ann"], "against": ["Bob"], "moderator": [], "turns": []}
    debate["turns"] = [{"speaker": name, "sentences": [said]} for name, said in turns]
    (corpus / "zoos.json").write_text(json.dumps(debate), encoding="utf-8")
    store = Store(tmp_path / "run")
    execute(plan_run(open_corpus(corpus), store, Settings(), ("speakers",)))
    data = ReportData.read(store)
    assert [(facts.speech.id, facts.duration) for facts in data.facts_on("zoos")] == [
        ("zoos/ann", None),
        ("zoos/bob", None),
    ]


def test_a_motion_without_a_point_has_no_link_to_its_flow(tmp_path: Path) -> None:
    store = write_run(tmp_path, panel())
    record = FinishedRun(store).of_motion(KeyPoints, "phones")
    assert record
    save_record(store, "_motions/phones", "keypoints", record.model_copy(update={"points": ()}))
    page = write_report(store, tmp_path / "_report").parent / "motions/phones.html"
    assert "The flow" not in page.read_text(encoding="utf-8")


def test_the_best_passage_is_shown_first() -> None:
    early, best, late = (Passage(start=start, end=start + 1, text=str(start)) for start in (1.0, 5.0, 3.0))
    matches = [
        KeyPointMatch(speech="a", sentence=0, speaker=None, said=said, score=score)
        for said, score in ((early, 0.7), (best, 0.9), (late, 0.8))
    ]
    cells = _in_order(_passages([PointInSpeech(SpeechLink("a"), tuple(matches))])["a"])
    assert [said.start for said in cells] == [5.0, 1.0, 3.0]


def test_separate_files_are_in_one_exchange_if_the_manifest_says_so(tmp_path: Path) -> None:
    data = ReportData.read(write_run(tmp_path, debate()))
    found = data.flow(data.run.motions[0])
    assert [(column.id, column.exchange) for column in found.columns][:2] == [
        ("phones/pro_anna", 0),
        ("phones/con_carla", 0),
    ]
    point = next(row for row in found.rows if row.anchor == "point-con-1")
    assert point.cells["phones/con_carla"].state == "made"
    assert "phones/pro_ben" not in point.cells or point.cells["phones/pro_ben"].state != "dropped"


def test_the_flow_can_be_downloaded(panel_report: Path) -> None:
    rows = list(csv.DictReader((panel_report / "flows/phones.csv").open(encoding="utf-8")))
    assert [(row["speech"], row["state"]) for row in rows] == [
        ("panel/ida", "made"),
        ("panel/jon", "answered"),
        ("panel/ida", "no answer found"),
        ("panel/jon", "made"),
    ]
    assert float(rows[0]["start"]) == pytest.approx(0.2)
    drawing = ElementTree.parse(panel_report / "flows/phones.svg").getroot()
    assert "no answer found" in "".join(drawing.itertext())


def test_the_flow_by_keyboard(page: Any, panel_report: Path) -> None:
    opened(page, panel_report, "flows/phones.html")
    page.locator("td.made").first.click()
    page.keyboard.press("d")
    assert "no answer found" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    assert "made" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    wait_until(page, "!document.querySelector('#passage audio').paused")


PEOPLE = {
    name: Person.model_construct(voice=name, key=name.lower(), name=name, role=role)
    for name, role in (("Ann", "moderator"), ("Bo", "debater"), ("Cy", "questioner"))
}


def chapter_titles(*lines: tuple[str, str]) -> list[str]:
    said = spoken(line for _, line in lines).sentences
    voiced = [one.model_copy(update={"speaker": who}) for one, (who, _) in zip(said, lines, strict=True)]
    return [chapter.title for chapter in chapters(voiced, PEOPLE, voiced[-1].end)]


def test_a_point_that_people_heard_somewhere_is_made_before_it_is_answered() -> None:
    """The page listed the answer, which has a time, before the speech in which people had heard the point."""
    at = Passage(text="They cannot pay.", start=122.0, end=125.0)
    cells = [FlowCell("answered", is_labelled=True), FlowCell("answered", (at,)), FlowCell("made", is_labelled=True)]
    assert [(cell.state, bool(cell.said)) for cell in sorted(cells, key=comes_up)] == [
        ("made", False),
        ("answered", True),
        ("answered", False),
    ]


def test_a_chapter_is_a_question_or_a_long_turn_and_not_a_call_for_order() -> None:
    """Titles were broken-off sentences, and 'asks' stood before what nobody asked."""
    assert chapter_titles(
        ("Ann", "Welcome to our debate of tonight on zoos, in which four people argue for and against a ban of them."),
        ("Ann", "Here to speak first, Bo Stone."),
        ("Bo", "Zoos are cruel."),
        ("Ann", "You do not necessarily have to --"),
        ("Bo", "They are."),
        ("Ann", "Is that going to be enough for you?"),
        ("Ann", "Bo Stone."),
        ("Bo", "It is."),
        ("Cy", "What about children who love animals?"),
        ("Cy", "Let me just clarify."),
        ("Ann", "Bo?"),
        ("Bo", "They can watch films."),
        ("Cy", "We have a long history in this country --"),
        ("Bo", "It is over."),
        ("Ann", "Thank you. And now to close, Bo Stone."),
        ("Bo", "Zoos are cruel and far too small, and nobody learns there what animals are. " * 6),
    ) == [
        "Here to speak first, Bo Stone.",
        "Is that going to be enough for you?",
        "Cy asks: What about children who love animals?",
        "Thank you. And now to close, Bo Stone.",
    ]


def test_the_timeline_plays_what_is_clicked(page: Any, panel_report: Path) -> None:
    opened(page, panel_report, "speeches/panel.html")
    page.wait_for_selector("body.ready")
    assert page.locator(".lane-name").all_inner_texts()[-3:] == ["Ida", "Jon", "Mod"]
    mark = page.locator(".lane .mark.filled.con")
    mark.click()
    start = float(mark.get_attribute("data-at"))
    wait_until(page, f"document.getElementById('audio').currentTime >= {start}")
    assert page.locator(".people-table tbody tr").count() == 3
    assert "found, 93" in page.locator(".people-table tr", has_text="Ida").inner_text()


@pytest.mark.parametrize("name", ["flows/phones.html", "speeches/panel.html", "motions/phones.html", "index.html"])
def test_nothing_leaves_a_phones_page(page: Any, panel_report: Path, name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, panel_report, name)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["flows/phones.html", "speeches/panel.html", "motions/phones.html"])
def test_nothing_keeps_people_out(browser: Any, panel_report: Path, name: str, scheme: str) -> None:
    assert_accessible(browser, panel_report / name, scheme)


def test_the_front_page_has_the_people_of_a_recording(page: Any, panel_report: Path) -> None:
    opened(page, panel_report)
    people = page.locator(".people-of li").all_inner_texts()
    assert [text.split()[:2] for text in people] == [["Ida", "for"], ["Jon", "against"]]


def test_anonymised_results_have_no_names_of_people_who_were_found(tmp_path: Path) -> None:
    made = panel()
    made.speeches = [made.speeches[0].model_copy(update={"speakers": ()})]
    write_run(tmp_path, made)
    run = FinishedRun(tmp_path, anonymise=True)
    results = (run.of_speech(Speakers, run.recordings[0].id), run.speeches, run.of_motion(KeyPoints, "phones"))
    assert not re.search(r"\b(Ida|Jon|Mod)\b", str(results), re.IGNORECASE)


def test_two_motions_in_one_recording_are_two_debates(tmp_path: Path) -> None:
    corpus, store = tmp_path / "corpus", Store(tmp_path / "run")
    corpus.mkdir()
    said = [
        "Zoos are cages for animals.",
        "Zoos save rare animals.",
        "Cars are loud in the city.",
        "Cars bring us home.",
    ]
    cues = [
        f"00:00:{4 * n:02d}.000 --> 00:00:{4 * n + 3:02d}.000\n<v {'Ann' if n % 2 == 0 else 'Bob'}>{text}\n"
        for n, text in enumerate(said)
    ]
    (corpus / "debate.vtt").write_text("WEBVTT\n\n" + "\n".join(cues), encoding="utf-8")
    (corpus / "motions.csv").write_text("id,text\nzoos,We should close zoos.\ncars,We should ban cars.\n")
    (corpus / "speeches.csv").write_text("id,file,motion,transcript\ndebate,,zoos,debate.vtt\n")
    rows = [("Ann", "pro", "zoos", 0, 7), ("Bob", "con", "zoos", 0, 7), ("Ann", "pro", "cars", 8, 15)]
    rows.append(("Bob", "con", "cars", 8, 15))
    (corpus / "speakers.csv").write_text(
        "recording,name,role,side,motion,from,to\n"
        + "".join(f"debate,{name},debater,{side},{motion},{start},{end}\n" for name, side, motion, start, end in rows)
    )
    execute(plan_run(open_corpus(corpus), store, Settings(), ("transcribe", "segment", "speakers")))
    run = FinishedRun(store)
    spoken = {speech.id: [one.text for one in run.sentences_of(speech.id)] for speech in run.speeches}
    assert spoken == {
        "debate/ann": [said[0]],
        "debate/bob": [said[1]],
        "debate-cars/ann": [said[2]],
        "debate-cars/bob": [said[3]],
    }
    report = write_report(store, tmp_path / "report").parent
    assert "Ann" in (report / "motions/cars.html").read_text(encoding="utf-8")
    assert "speeches/debate-cars.html" in (report / "motions/cars.html").read_text(encoding="utf-8")


def test_a_text_has_no_doubtful_words_to_shade(tmp_path: Path) -> None:
    corpus, store = tmp_path / "corpus", Store(tmp_path / "run")
    corpus.mkdir()
    (corpus / "talk.vtt").write_text("WEBVTT\n\n00:00:00.000 --> 00:00:03.000\n<v Ann>Zoos are cages.\n")
    (corpus / "speeches.csv").write_text("id,file,transcript\ntalk,,talk.vtt\n")
    execute(plan_run(open_corpus(corpus), store, Settings(), ("transcribe", "segment")))
    page = (write_report(store, tmp_path / "report").parent / "speeches/talk.html").read_text(encoding="utf-8")
    assert "Zoos" in page
    assert "confidence below" not in page
    assert "Doubtful words" not in page
