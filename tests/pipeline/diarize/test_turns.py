from hypothesis import given

from pipeline.diarize.turns import exclusive_turns, turns_record
from pipeline.records import Turn
from tests.pipeline.diarize.test_assign import turns


def test_who_has_the_floor_keeps_it() -> None:
    found = exclusive_turns(
        [
            Turn(start=0, end=5, speaker="A"),
            Turn(start=2, end=3, speaker="B"),
            Turn(start=4, end=7, speaker="B"),
        ]
    )
    assert found == (Turn(start=0, end=5, speaker="A"), Turn(start=5, end=7, speaker="B"))


def test_turns_are_cut_to_the_recording() -> None:
    found = turns_record([Turn(start=8, end=12, speaker="B"), Turn(start=1, end=2, speaker="A")], 10.0, "given")
    assert found.turns == (Turn(start=1, end=2, speaker="A"), Turn(start=8, end=10, speaker="B"))
    assert found.speakers == ("A", "B")
    assert turns_record([Turn(start=11, end=12)], 10.0, "given").turns == ()


@given(turns)
def test_exclusive_turns_cover_what_the_turns_cover_once(found: list[Turn]) -> None:
    exclusive = exclusive_turns(found)
    assert all(before.end <= after.start for before, after in zip(exclusive, exclusive[1:], strict=False))
    assert all(turn.end > turn.start for turn in exclusive)
    tenths = range(400)
    covered = {t for turn in found for t in tenths if turn.start <= t / 10 < turn.end}
    assert covered == {t for turn in exclusive for t in tenths if turn.start <= t / 10 < turn.end}
    for turn in exclusive:
        assert any(own.speaker == turn.speaker and own.start <= turn.start and turn.end == own.end for own in found)
