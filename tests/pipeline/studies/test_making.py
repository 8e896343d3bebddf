"""Which items are asked, and who gets which."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.counter import CounterScores
from pipeline.errors import RostrumError
from pipeline.mentions import Mention, Mentions
from pipeline.report.judging import doubt_of
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Store
from pipeline.studies.items import Item, Question, options
from pipeline.studies.making import assigned, choose_known, most_doubtful, sheets, spread
from tests.pipeline.studies.conftest import Make

QUESTION = Question(id="q", text="Is it?", kind="choice", options=options([("y", "Yes"), ("n", "No")]))


def item(number: int, subject: str = "", known: bool = False) -> Item:
    return Item(
        id=f"i{number}", subject=subject or f"s{number}", questions=(QUESTION,), known={"q": "y"} if known else {}
    )


@given(
    items=st.integers(1, 40),
    subjects=st.integers(1, 40),
    workers=st.integers(1, 12),
    per_item=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_every_item_so_often_and_nobody_twice_and_evenly(
    items: int, subjects: int, workers: int, per_item: int, seed: int
) -> None:
    drawn = [item(number, f"s{number % subjects}") for number in range(items)]
    names = [f"w{number}" for number in range(workers)]
    most = max(Counter(each.subject for each in drawn).values()) * per_item
    if most > workers:
        with pytest.raises(RostrumError, match="workers are needed"):
            assigned(drawn, names, per_item, np.random.default_rng(seed))
        return
    own = assigned(drawn, names, per_item, np.random.default_rng(seed))
    assert Counter(name for members in own.values() for name in members) == {each.id: per_item for each in drawn}
    subject = {each.id: each.subject for each in drawn}
    for members in own.values():
        assert len({subject[name] for name in members}) == len(members), "nobody gets a subject twice"
    sizes = [len(members) for members in own.values()]
    assert max(sizes) - min(sizes) <= 1


def test_the_same_seed_gives_the_same_sheets() -> None:
    drawn, names = [item(number) for number in range(20)], ["w1", "w2", "w3"]
    first, again, other = (sheets(drawn, names, 2, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_training_comes_first_and_tests_are_mixed_in() -> None:
    drawn = [item(number, known=number < 5) for number in range(30)]
    training, tests = choose_known(drawn, 2, 3, np.random.default_rng(0))
    assert len({each.id for each in (*training, *tests)}) == 5
    made = sheets(drawn[5:], ["w1", "w2"], 1, np.random.default_rng(0), training=training, tests=tests)
    for sheet in made:
        assert sheet.items[:2] == tuple(each.id for each in training)
        assert {each.id for each in tests} <= set(sheet.items[2:])
    places = [[sheet.items.index(test.id) for test in tests] for sheet in made]
    assert places[0] != places[1], "nobody can say by its place which one is a test"


def test_more_tests_than_known_answers_are_refused() -> None:
    with pytest.raises(RostrumError, match="--known"):
        choose_known([item(1, known=True), item(2)], 0, 2, np.random.default_rng(0))


def test_items_are_spread_over_groups() -> None:
    assert spread([1, 2, 3, 4, 5], ["a", "a", "a", "b", "c"], 4) == [1, 4, 5, 2]
    assert spread([1, 2], ["a", "a"], None) == [1, 2]


def test_speeches_near_the_threshold_come_first(run: Store, arguments: Path) -> None:
    """Of two speeches of a made-up run, the one whose probabilities are nearer the threshold."""
    from pipeline.studies.items import Item, Question, options

    finished = FinishedRun(run)
    records = {each.id: finished.of_speech(Mentions, each.id) for each in finished.recordings}
    question = Question(id="heard", text="?", kind="choice", options=options([("y", "yes")]))
    items, doubts = [], {}
    for speech, record in records.items():
        if record and record.mentions:
            first = record.mentions[0]
            items.append(Item(id=speech, subject=speech, about={"a": first.argument}, questions=(question,)))
            doubts[speech] = doubt_of(first.probability, record.threshold)
    assert len(set(doubts.values())) > 1
    asked = most_doubtful("listening", items, [finished])
    assert [doubts[item.subject] for item in asked] == sorted(doubts.values(), reverse=True)
    known = items[0].model_copy(update={"known": {"heard": "y"}})
    assert known not in most_doubtful("listening", [known, *items[1:]], [finished])


class Run:
    """A run that knows one record, of one speech or motion."""

    def __init__(self, record: Mentions | CounterScores) -> None:
        self.record = record

    def of_speech(self, kind: type, speech: str) -> object:
        return self.record if speech == "anna" else None

    def of_motion(self, kind: type, motion: str) -> object:
        return self.record if motion == "zoos" else None


def mentions(*decided: tuple[str, float, bool]) -> Mentions:
    parts = {"title": "", "stance": "pro", "side": "own", "likeness": 0.0, "carriers": (), "counter": None}
    made = [
        Mention(argument=name, probability=probability, mentioned=is_one, counter_title=None, **parts)  # type: ignore[arg-type]
        for name, probability, is_one in decided
    ]
    return Mentions(motion="zoos", mentions=tuple(made), encoder="", detector="", trained_on="", threshold=0.5)


def test_items_on_which_detectors_differ_come_before_those_on_which_one_is_unsure() -> None:
    def asked(name: str) -> Item:
        return Item(id=name, subject="anna", about={"a": name}, questions=(QUESTION,))

    one = Run(mentions(("sure", 0.99, True), ("unsure", 0.5, True), ("differs", 0.9, True)))
    other = Run(mentions(("sure", 0.99, True), ("unsure", 0.5, True), ("differs", 0.1, False)))
    items = [asked("sure"), asked("unsure"), asked("differs")]
    runs: list[Any] = [one, other]
    assert [each.id for each in most_doubtful("listening", items, runs[:1])] == ["unsure", "differs", "sure"]
    assert [each.id for each in most_doubtful("listening", items, runs)] == ["differs", "unsure", "sure"]


@pytest.mark.parametrize(("task", "error"), [("counter", "give a run"), ("pairs", "no option --by")])
def test_what_has_no_uncertainty_is_refused(make: Make, arguments: Path, task: str, error: str) -> None:
    with pytest.raises(RostrumError, match=error):
        make(task, *([arguments] if task == "pairs" else []), options={"by": "uncertainty"})


def test_another_run_without_an_order_is_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="add --by uncertainty"):
        make("listening", options={"other_runs": (tmp_path,)})
