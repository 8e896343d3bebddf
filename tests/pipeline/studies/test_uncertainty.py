"""What to ask next: where a run is least sure."""

from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.mentions import Mentions
from pipeline.report.judging import doubt_of
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Store
from pipeline.studies.uncertainty import most_doubtful
from tests.pipeline.studies.conftest import Make


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
    asked = most_doubtful("listening", items, finished)
    assert [doubts[item.subject] for item in asked] == sorted(doubts.values(), reverse=True)
    known = items[0].model_copy(update={"known": {"heard": "y"}})
    assert known not in most_doubtful("listening", [known, *items[1:]], finished)


@pytest.mark.parametrize(("task", "error"), [("counter", "give a run"), ("pairs", "no option --by")])
def test_what_has_no_uncertainty_is_refused(make: Make, arguments: Path, task: str, error: str) -> None:
    with pytest.raises(RostrumError, match=error):
        make(task, *([arguments] if task == "pairs" else []), options={"by": "uncertainty"})
