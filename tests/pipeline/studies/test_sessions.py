"""A worker's way through a sheet: what is shown when, what is refused, and what a crash leaves."""

from pathlib import Path

import pytest

from pipeline.studies.items import Answers
from pipeline.studies.sessions import NotYetError, RefusedError, Session
from pipeline.studies.study import StudyFolder, journal, last_given, read_journal
from tests.pipeline.studies.conftest import Make
from tests.pipeline.studies.people import Clock

GOOD: Answers = {"vote": "a1", "reason": "It names a study that anybody can check.", "stance": "none"}


@pytest.fixture
def pairs(make: Make, arguments: Path) -> StudyFolder:
    return make("pairs", arguments, consent=False)


def begun(folder: StudyFolder, worker: str = "w1", clock: Clock | None = None) -> Session:
    return Session.resumed(folder, worker, clock or Clock())


def test_what_is_answered_is_on_disk_and_stays(pairs: StudyFolder) -> None:
    session = begun(pairs)
    first = session.next_item
    assert first
    session.open(first.id)
    state = session.answer(first.id, GOOD, "one")
    assert (state["done"], state["phase"]) == (1, "item")
    again = begun(pairs)
    assert again.state()["done"] == 1
    assert again.next_item != first
    (given,) = read_journal(journal(pairs, "w1")).given
    assert (given.item, given.answers) == (first.id, GOOD)


def test_an_answer_that_is_sent_twice_counts_once(pairs: StudyFolder) -> None:
    session = begun(pairs)
    first = session.next_item
    assert first
    session.answer(first.id, GOOD, "one")
    assert session.answer(first.id, GOOD, "one")["done"] == 1
    assert begun(pairs).answer(first.id, GOOD, "one")["done"] == 1, "also after the server began anew"
    assert len(read_journal(journal(pairs, "w1")).given) == 1


def test_a_line_that_was_cut_off_is_skipped_and_the_next_one_begins_on_its_own(pairs: StudyFolder) -> None:
    session = begun(pairs)
    first = session.next_item
    assert first
    session.answer(first.id, GOOD, "one")
    with journal(pairs, "w1").open("a", encoding="utf-8") as file:
        file.write('{"worker": "w1", "item": "i0')  # as after a crash in the middle of a write
    session = begun(pairs)
    second = session.next_item
    assert second
    session.answer(second.id, GOOD, "two")
    written = read_journal(journal(pairs, "w1"))
    assert [given.number for given in written.given] == ["one", "two"]
    assert len(written.wrong) == 1


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"reason": "Too short."}, "30 characters"),
        ({"reason": "x" * 141}, "140 characters"),
        ({"reason": " " * 50}, "30 characters"),
        ({"vote": "a3"}, "Choose one"),
        ({"vote": ["a1"]}, "Choose one"),
        ({"other": "a1"}, "no question"),
    ],
)
def test_answers_that_are_none_are_refused(pairs: StudyFolder, changed: Answers, why: str) -> None:
    session = begun(pairs)
    first = session.next_item
    assert first
    with pytest.raises(RefusedError, match=why):
        session.answer(first.id, {**GOOD, **changed}, "one")
    assert session.state()["done"] == 0


def test_only_the_next_item_is_answered(pairs: StudyFolder) -> None:
    session = begun(pairs)
    with pytest.raises(RefusedError, match="next"):
        session.answer(session.sheet.items[1], GOOD, "one")


def test_no_question_before_the_speech_is_heard(make: Make) -> None:
    folder, clock = make("listening", workers=4, options={"most": 2}), Clock()
    session = begun(folder, clock=clock)
    assert session.state()["phase"] == "consent"
    with pytest.raises(RefusedError):
        session.open(session.sheet.items[0])
    item = session.agree()["item"]
    assert item["questions"] is None
    assert not {"about", "known", "subject", "group"} & item.keys(), "a worker sees no id"
    current = session.next_item
    assert current
    answers: Answers = {"heard": {row.value: "no" for row in current.questions[0].rows}}
    with pytest.raises(NotYetError):
        session.questions(current.id)
    session.open(current.id)
    clock.now += current.seconds / 2
    for _ in range(2):  # also if the page is loaded again, or the server
        with pytest.raises(NotYetError):
            session.answer(current.id, answers, "one")
        session = begun(folder, clock=clock)
        assert session.open(current.id)["seconds"] == pytest.approx(current.seconds / 2)
    clock.now += current.seconds / 2
    assert session.questions(current.id)["questions"][0]["rows"]
    assert session.answer(current.id, answers, "two")["done"] == 1


def test_practice_comes_with_feedback_and_counts_for_nothing(make: Make) -> None:
    folder, clock = make("counter", options={"medium": "text"}, workers=3, training=1, consent=False), Clock()
    session = begun(folder, clock=clock)
    item = session.next_item
    assert item
    assert session.state()["training"] is True
    answers: Answers = {"answer": str(item.known["answer"]), "sure": "guess"}
    state = session.answer(item.id, answers, "one")
    assert state["feedback"] == {"known": item.known, "right": 1}
    assert "feedback" not in session.answer(state["item"]["id"], {"answer": "a", "sure": "guess"}, "two")


def test_after_the_time_limit_an_item_is_passed_over(make: Make, arguments: Path) -> None:
    folder, clock = make("pairs", arguments, consent=False, limit=60.0), Clock()
    session = begun(folder, clock=clock)
    first, second = (folder.study.by_id[name] for name in session.sheet.items[:2])
    session.open(first.id)
    clock.now += 60
    assert session.answer(first.id, {}, "one", late=True)["done"] == 1
    session.open(second.id)
    clock.now += 120
    session.answer(second.id, GOOD, "two")
    assert [given.late for given in read_journal(journal(folder, "w1")).given] == [True, True]


def test_the_last_answer_counts(pairs: StudyFolder) -> None:
    session = begun(pairs)
    first = session.next_item
    assert first
    session.answer(first.id, GOOD, "one")
    given = read_journal(journal(pairs, "w1")).given
    changed = given[0].model_copy(update={"answers": {**GOOD, "vote": "a2"}, "number": "two"})
    assert last_given([*given, changed]) == [changed]
