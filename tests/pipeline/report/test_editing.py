"""A person corrects a speech in its page, by keyboard, and the next run uses it."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.report import editing as editing_module
from pipeline.report.build import write_report
from pipeline.report.editing import Editing
from pipeline.report.server import editing_application
from pipeline.run import index
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.finished import FinishedRun
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from pipeline.score import evaluate_wer
from pipeline.score.stage import WordErrors
from pipeline.segment.stage import Sentences
from pipeline.speakers import Speakers
from pipeline.transcribe.stage import Transcript
from tests.pipeline.report.conftest import STAGES, TOKEN, Place, begin, keys
from tests.pipeline.report.test_browser import assert_accessible_now, wait_until
from tests.pipeline.report.test_server import asked, served_by
from tests.sounds import sine, write
from tests.synthetic_run import debate, write_run


def test_sentences_after_a_correction_was_undone_are_those_of_the_next_run(tmp_path: Path) -> None:
    """The run has the corrected sentences; the recognised words are cut as the run's settings say."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    times = [0.0, 0.5, 1.4, 1.9, 4.0, 4.5]  # pauses of 0.5 and of 1.7 s
    (corpus / "talk.ctm").write_text("".join(f"talk 1 {at} 0.4 word 0.9\n" for at in times))
    (corpus / "speeches.csv").write_text("id,file,transcript\ntalk,,talk.ctm\n")
    settings = Settings.model_validate({"segment": {"method": "pauses", "pause": 1.0}})
    store = Store(tmp_path / "run")

    def run() -> Editing:
        execute(plan_run(open_corpus(corpus), store, settings, ("transcribe", "segment")))
        return Editing.of_run(FinishedRun(store))

    recognised = run().document("talk")
    assert recognised
    assert recognised["sentence_ends"] == [4, 6]
    draft = {"version": 0, "words": recognised["words"], "sentence_ends": [1, 6]}
    run().save("talk", json.dumps(draft).encode())
    editing = run()
    corrected = editing.document("talk")
    assert corrected
    assert corrected["sentence_ends"] == [1, 6]
    undone = editing.take_back("talk", 1)
    assert undone
    assert undone["sentence_ends"] == [4, 6]


def save(page: Any) -> None:
    with page.expect_response("**/corrections/talk") as answer:
        page.keyboard.press("Control+s")
    assert answer.value.status == 200


def test_a_correction_in_the_page_changes_the_next_run(page: Any, place: Place) -> None:
    before = FinishedRun(place.store).of_speech(Transcript, "talk")
    begin(page, place)
    keys(page, "ArrowRight", "Enter")
    page.keyboard.type("should really")
    keys(page, "Enter", "ArrowRight", "ArrowRight", ".")
    assert "really ban phones they distract" in page.locator("#draft .line").first.inner_text(), "joined"
    page.get_by_role("button", name="Mentioned: They distract.", exact=True).press("Enter")
    save(page)

    run = place.run()
    transcript, errors = run.of_speech(Transcript, "talk"), run.of_speech(WordErrors, "talk")
    assert before
    assert transcript
    assert errors
    assert transcript.text == "we should really ban phones they distract no they do not"
    assert transcript.recognised == before.words
    assert transcript.is_corrected
    assert transcript.recogniser == before.recogniser
    assert (errors.words.errors, errors.words.length) == (2, 11), "what was recognised, against what a person wrote"
    assert evaluate_wer.evaluate(Path(place.store.root)).rows[0]["wer"] == pytest.approx(2 / 11), "as the run says"
    sentences = run.of_speech(Sentences, "talk")
    assert sentences
    assert sentences.sentences[0].text == "we should really ban phones they distract"
    assert sentences.method == "corrected"
    assert [(label.argument, label.mentioned) for label in run.known.labels] == [("focus", True)]
    assert (place.corpus / "talk.ctm").read_text(encoding="utf-8").count("shut") == 1


def test_it_is_undone_and_taken_back(page: Any, place: Place) -> None:
    begin(page, place)
    keys(page, "Delete", "Delete")
    assert page.locator("#draft .word").first.inner_text() == "ban"
    keys(page, "Control+z", "Control+z", "Control+y")
    assert page.locator("#draft .word").first.inner_text() == "shut"
    keys(page, "Escape")
    assert page.locator("#draft").is_visible(), "what is not saved is not thrown away"
    save(page)
    assert place.run().of_speech(Transcript, "talk").text.startswith("shut ban")
    page.reload()
    begin(page, place)
    assert page.locator("#draft .word").first.inner_text() == "shut"
    page.get_by_role("button", name="Take back the last saved").press("Enter")
    wait_until(page, "document.querySelector('#draft .word').textContent === 'we'")
    transcript = place.run().of_speech(Transcript, "talk")
    assert transcript
    assert transcript.text.startswith("we shut")
    assert transcript.recognised is None


def test_a_word_that_is_being_written_is_saved_too(page: Any, place: Place) -> None:
    begin(page, place)
    keys(page, "Enter")
    page.keyboard.type("you")
    save(page)
    assert page.locator("#draft .word").first.inner_text() == "you"
    assert page.locator(".dock output").inner_text() == ""
    assert place.run().of_speech(Transcript, "talk").text.startswith("you shut")


def test_speakers_are_named_and_turns_fixed(page: Any, place: Place) -> None:
    begin(page, place)
    keys(page, "s")
    page.keyboard.type("Clara")
    page.get_by_role("button", name="For all words without a speaker").press("Enter")
    for _ in range(6):
        keys(page, "ArrowRight")
    keys(page, "s")
    page.keyboard.type("Victor")
    keys(page, "Enter")
    assert page.locator("#draft h3").all_inner_texts() == ["Clara", "Victor"]
    keys(page, "i")
    page.keyboard.type("indeed")
    keys(page, "Enter")
    save(page)
    words = place.run().of_speech(Transcript, "talk").words
    assert [word.text for word in words if word.speaker == "Victor"] == ["no", "indeed", "they", "do", "not"]
    entry = open_corpus(place.corpus).entries[0]
    assert entry.correction
    assert entry.correction.turns
    assert [turn.speaker for turn in entry.correction.turns] == ["Clara", "Victor"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out_of_the_editor(browser: Any, place: Place, scheme: str) -> None:
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": 390, "height": 740})
    page = context.new_page()
    begin(page, place)
    keys(page, "s")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_accessible_now(page)
    context.close()


def test_only_who_has_the_address_reads_and_corrects(place: Place) -> None:
    for path in ("/", "/speeches/talk.html", "/corrections/talk", "/secret/speeches/talk.html"):
        assert asked(place.port, path)[0].status == 404
    assert asked(place.port, f"/{TOKEN}/corrections/talk", Host="elsewhere.example")[0].status == 400
    response, content = asked(place.port, f"/{TOKEN}/speeches/talk.html")
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert b"edit.js" in content
    assert b"edit.js" not in (place.report / "speeches" / "talk.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        ([("a b", 0, 1)], [1]),
        ([("a", 1, 0)], [1]),
        ([("a", 0, 1)], [2]),
        ([("a", 0, 1), ("b", 1, 2)], [1]),
        ([("a", 1, 2), ("b", 0, 1)], [2]),
        ([("a", float("nan"), 1)], [1]),
        ([("a\0b", 0, 1)], [1]),
        ([("\x1b[2J", 0, 1)], [1]),
    ],
)
def test_what_is_no_transcript_is_refused(place: Place, words: list[tuple[str, float, float]], ends: list[int]) -> None:
    editing = Editing.of_run(FinishedRun(place.store))
    draft = [{"text": text, "start": start, "end": end} for text, start, end in words]
    with pytest.raises(RostrumError, match="not a correction"):
        editing.save("talk", json.dumps({"version": 0, "words": draft, "sentence_ends": ends}).encode())
    assert not (place.corpus / "corrections").exists()


def test_nothing_corrected_is_no_correction(place: Place) -> None:
    """Saved as it was recognised: the next run has nothing to do."""
    editing = Editing.of_run(FinishedRun(place.store))
    found = editing.document("talk")
    assert found
    kept = {name: found[name] for name in ("version", "words", "sentence_ends", "mentioned")}
    assert editing.save("talk", json.dumps(kept).encode()) == found
    assert plan_run(open_corpus(place.corpus), place.store, Settings(), STAGES).is_done


def test_what_is_corrected_of_a_single_recording_is_kept_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "talks" / "talk.wav"
    write(path, sine(1.0, 8_000), 8_000)
    store = Store(tmp_path / "run")
    execute(plan_run(open_corpus(path), store, Settings(), ["ingest"]))
    assert Editing.of_run(FinishedRun(store)).corpus == path.parent
    path.unlink()
    with pytest.raises(RostrumError, match=r"talk\.wav: the recordings of this run are missing"):
        Editing.of_run(FinishedRun(store))


def test_a_word_that_becomes_two_changes_no_turn(place: Place) -> None:
    editing = Editing.of_run(FinishedRun(place.store))
    found = editing.document("talk")
    assert found
    (first, *others), ends = found["words"], [end + 1 for end in found["sentence_ends"]]
    half = (first["start"] + first["end"]) / 2
    words = [{**first, "text": "well", "end": half}, {**first, "start": half}, *others]
    editing.save("talk", json.dumps({"version": 0, "words": words, "sentence_ends": ends}).encode())
    correction = open_corpus(place.corpus).entries[0].correction
    assert correction
    assert correction.turns is None
    assert correction.text.startswith("well we ")


def test_corrections_go_to_the_run_s_own_corpus(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the command is called, and whatever folder is called like the corpus there."""
    (tmp_path / "elsewhere" / "corpus").mkdir(parents=True)
    named = index.load_known(place.store).model_copy(update={"corpus": "corpus"})
    index.save(named, place.store)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert Editing.of_run(FinishedRun(place.store)).corpus == place.corpus


def test_a_folder_with_none_of_the_run_s_speeches_gets_no_corrections(place: Place, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    moved = index.load_known(place.store).model_copy(update={"corpus_path": str(tmp_path / "photos")})
    index.save(moved, place.store)
    with pytest.raises(RostrumError, match="photos: has none of the speeches of this run"):
        Editing.of_run(FinishedRun(place.store))


def test_no_word_ends_long_after_the_recording(tmp_path: Path) -> None:
    editing = Editing(FinishedRun(write_run(tmp_path / "run", debate(seconds=9.0))), tmp_path)
    words = [{"text": "late", "start": 9.0, "end": 1e9}]
    content = json.dumps({"version": 0, "words": words, "sentence_ends": [1]}).encode()
    with pytest.raises(RostrumError, match=r"a word ends after the recording, which has 9\.0 s"):
        editing.save("exchange", content)
    assert not (tmp_path / "corrections").exists()


# Two windows, or two people, correct the same speech.


def sent(place: Place, method: str, content: object = None, query: str = "") -> tuple[int, dict[str, Any]]:
    connection = HTTPConnection("127.0.0.1", place.port, timeout=60)
    body = content if isinstance(content, bytes) or content is None else json.dumps(content).encode()
    connection.request(method, f"/{TOKEN}/corrections/talk{query}", body)
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


def changed(document: dict[str, Any], text: str) -> dict[str, Any]:
    """What a page sends in which the first word was written anew."""
    first, *others = document["words"]
    kept = {name: document[name] for name in ("version", "sentence_ends", "mentioned")}
    return {**kept, "words": [{**first, "text": text, "probability": None}, *others]}


def test_a_save_from_an_old_page_is_refused_with_the_version_of_now(place: Place) -> None:
    _, opened = sent(place, "GET")
    assert sent(place, "PUT", changed(opened, "one"))[0] == 200
    status, answer = sent(place, "PUT", changed(opened, "two"))
    assert status == 409
    assert "saved meanwhile" in answer["error"]
    assert answer["document"]["words"][0]["text"] == "one"
    assert answer["document"] == sent(place, "GET")[1], "nothing of the second was saved"
    assert sent(place, "PUT", changed(answer["document"], "two"))[0] == 200, "once somebody has looked at both"


def test_only_the_version_that_is_seen_is_taken_back(place: Place) -> None:
    _, opened = sent(place, "GET")
    _, first = sent(place, "PUT", changed(opened, "one"))
    _, second = sent(place, "PUT", changed(first, "two"))
    for query in (f"?version={first['version']}", "", "?version=x", "?version=" + "9" * 5_000):
        assert sent(place, "DELETE", query=query)[0] == 409
    status, answer = sent(place, "DELETE", query=f"?version={second['version']}")
    assert (status, answer["words"][0]["text"]) == (200, "one")


def test_both_versions_are_shown_and_a_person_chooses(browser: Any, place: Place) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    mine, theirs = context.new_page(), context.new_page()
    for page, text in ((mine, "mine"), (theirs, "theirs")):
        begin(page, place)
        keys(page, "Enter")
        page.keyboard.type(text)
        keys(page, "Enter")
    save(theirs)
    for choice, expected in (("Save mine instead", "mine"), ("Take theirs", "theirs")):
        keys(mine, "Control+s")
        shown = mine.get_by_role("region", name="Two versions")
        shown.wait_for()
        if expected == "mine":
            assert shown.get_by_role("listitem").all_inner_texts() == [
                "theirs shut ban phones",
                "mine shut ban phones",
            ]
        stored = mine.expect_response("**/corrections/talk") if expected == "mine" else nullcontext()
        with stored:
            mine.get_by_role("button", name=choice).press("Enter")
        wait_until(mine, "document.querySelector('.conflict').hidden")
        wait_until(mine, f"document.querySelector('#draft .word').textContent === '{expected}'")
        assert Editing.of_run(FinishedRun(place.store)).document("talk")["words"][0]["text"] == expected  # type: ignore[index]
        if expected == "mine":
            _, now = sent(place, "GET")
            assert sent(place, "PUT", changed(now, "theirs"))[0] == 200
            keys(mine, "i")
            mine.keyboard.type("more")
            keys(mine, "Enter")
    context.close()


# What is sent has limits.


def words_of(count: int) -> list[dict[str, Any]]:
    return [{"text": "word", "start": 0.0, "end": 0.1}] * count


@pytest.mark.parametrize(
    "draft",
    [
        {"version": 0, "words": words_of(5_000), "sentence_ends": [5_000]},
        {"version": 0, "words": words_of(1), "sentence_ends": [1], "mentioned": {"unknown": True}},
        {"version": 0, "words": words_of(1), "sentence_ends": [1, 2]},
        {"version": 0, "words": [{**words_of(1)[0], "confidence": 1}], "sentence_ends": [1]},
        {"version": 0, "words": [{**words_of(1)[0], "speaker": f"S{i}"} for i in range(999)], "sentence_ends": [999]},
        {"words": words_of(1), "sentence_ends": [1]},
    ],
    ids=["words", "marks", "ends", "fields", "speakers", "no version"],
)
def test_what_no_page_sends_is_refused(place: Place, draft: dict[str, Any]) -> None:
    status, answer = sent(place, "PUT", draft)
    assert (status, answer["error"].startswith("not a correction: ")) == (422, True)
    assert not (place.corpus / "corrections").exists()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "GET"])
def test_a_request_that_is_too_long_is_not_read_to_its_end(place: Place, method: str) -> None:
    """200 MB are announced; the answer comes after a few of them."""
    with socket.create_connection(("127.0.0.1", place.port), timeout=30) as connection:
        head = f"{method} /{TOKEN}/corrections/talk HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 200000000\r\n\r\n"
        connection.sendall(head.encode())
        sent_bytes = 0
        with suppress(ConnectionError):
            while sent_bytes < 5_000_000:
                sent_bytes += connection.send(b"[" * 65_536)
        answer = b""
        with suppress(ConnectionError):
            answer = connection.recv(1_000)
        assert answer.startswith(b"HTTP/1.1 413 ") or not answer
    assert sent(place, "GET")[0] == 200
    assert not (place.corpus / "corrections").exists()


def test_reading_does_not_wait_for_a_save(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _, opened = sent(place, "GET")
    is_saving, may_end = threading.Event(), threading.Event()
    save_correction = editing_module.save_correction

    def slow(*arguments: Any, **settings: Any) -> Path:
        is_saving.set()
        may_end.wait(30)
        return save_correction(*arguments, **settings)

    monkeypatch.setattr(editing_module, "save_correction", slow)
    saving = threading.Thread(target=sent, args=(place, "PUT", changed(opened, "one")))
    saving.start()
    assert is_saving.wait(30)
    assert sent(place, "GET") == (200, opened)
    may_end.set()
    saving.join()


DEBATE = {
    "motion": "We should ban phones.",
    "for": ["Ida", "Jon", "Mod"],
    "against": [],
    "moderator": [],
    "turns": [
        {"speaker": "Mod", "sentences": ["Welcome to this debate on phones.", "Ida begins."]},
        {"speaker": "Ida", "sentences": ["Phones distract every pupil in the class.", "We should ban them now."]},
        {"speaker": "Jon", "sentences": ["Pupils must learn to use their phones.", "A ban teaches them nothing."]},
        {"speaker": "Mod", "sentences": ["Thank you both for coming."]},
    ],
}


@pytest.fixture
def talk_of_three(tmp_path: Path) -> Iterator[Place]:
    """A debate whose manifest has everybody on one side, as it is served."""
    corpus, store, report = tmp_path / "corpus", Store(tmp_path / "run"), tmp_path / "report"
    corpus.mkdir()
    (corpus / "talk.json").write_text(json.dumps(DEBATE), encoding="utf-8")
    execute(plan_run(open_corpus(corpus), store, Settings(), PEOPLE_STAGES))
    write_report(store, report)
    with served_by(editing_application(report, Editing.of_run(FinishedRun(store)), TOKEN)) as port:
        yield Place(corpus, store, report, port)


PEOPLE_STAGES = ("transcribe", "segment", "speakers")


def people_of(run: FinishedRun) -> dict[str, tuple[str | None, str | None]]:
    """The role and the side of everybody in the only recording."""
    record = run.of_speech(Speakers, "talk")
    assert record
    return {person.label: (person.role, person.side) for person in record.people}


def test_a_corrected_side_and_role_are_used_by_the_next_run(page: Any, talk_of_three: Place) -> None:
    assert people_of(FinishedRun(talk_of_three.store)) == dict.fromkeys(("Mod", "Ida", "Jon"), ("debater", "pro"))
    begin(page, talk_of_three)
    page.get_by_label("Side of Jon").select_option("con")
    page.get_by_label("Role of Mod").select_option("moderator")
    assert page.get_by_label("Side of Mod").is_disabled()
    page.get_by_label("Name of Ida").fill("Ida Berg")
    page.get_by_label("Name of Ida").press("Tab")
    save(page)

    corpus = open_corpus(talk_of_three.corpus)
    assert corpus.entries[0].correction
    assert corpus.entries[0].correction.words is None, "nobody corrected a word"
    execute(plan_run(corpus, talk_of_three.store, Settings(), PEOPLE_STAGES))
    run = FinishedRun(talk_of_three.store)
    assert people_of(run) == {
        "Mod": ("moderator", None),
        "Ida Berg": ("debater", "pro"),
        "Jon": ("debater", "con"),
    }
    assert [(speech.id, speech.stance) for speech in run.speeches] == [("talk/ida-berg", "pro"), ("talk/jon", "con")]


def test_a_correction_of_people_is_undone(talk_of_three: Place) -> None:
    editing = Editing.of_run(FinishedRun(talk_of_three.store))
    before = editing.document("talk")
    assert before
    people = [{**person, "side": "con"} if person["voice"] == "Jon" else person for person in before["people"]]
    draft = {name: before[name] for name in ("version", "words", "sentence_ends")} | {"people": people}
    after = editing.save("talk", json.dumps(draft).encode())
    assert after
    assert after["people"] == people
    undone = editing.take_back("talk", after["version"])
    assert undone
    assert undone["people"] == before["people"]
    stranger = {"voice": "nobody", "name": None, "role": "debater", "side": None}
    wrong = {**draft, "version": undone["version"], "people": [stranger]}
    with pytest.raises(RostrumError, match="no voice 'nobody'"):
        editing.save("talk", json.dumps(wrong).encode())
