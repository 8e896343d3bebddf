"""Turns fitted to a recording, and the speaker of each word."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.diarize.record import Turns, assign_speakers, exclusive_turns, turns_record
from pipeline.records import Turn, Word

times = st.integers(0, 400).map(lambda tenths: tenths / 10)


@st.composite
def spans(draw: st.DrawFn) -> tuple[float, float]:
    start, end = sorted((draw(times), draw(times)))
    return start, end


words = st.lists(spans().map(lambda span: Word(text="w", start=span[0], end=span[1])), max_size=20)
turns = st.lists(
    st.tuples(spans(), st.sampled_from(["A", "B", "C", None])).map(
        lambda each: Turn(start=each[0][0], end=each[0][1], speaker=each[1])
    ),
    max_size=12,
)


def record(*found: Turn) -> Turns:
    exclusive = exclusive_turns(found)
    return Turns(turns=found, exclusive=exclusive, speakers=(), method="test")


def speakers(*spoken: tuple[float, float], turns: Turns, limit: float = 0.5) -> list[str | None]:
    found = assign_speakers([Word(text="w", start=start, end=end) for start, end in spoken], turns, limit)
    return [word.speaker for word in found]


DIALOGUE = record(Turn(start=1, end=3, speaker="A"), Turn(start=4, end=6, speaker="B"))


def test_a_word_inside_a_turn_is_its_speakers() -> None:
    assert speakers((1.2, 1.5), (4.0, 6.0), turns=DIALOGUE) == ["A", "B"]


def test_a_word_across_two_turns_is_the_speakers_who_has_more_of_it() -> None:
    assert speakers((2.0, 4.4), (2.9, 4.4), turns=DIALOGUE) == ["A", "B"]


def test_shares_of_several_turns_of_one_speaker_add_up() -> None:
    turns = record(
        Turn(start=0, end=1, speaker="A"), Turn(start=1, end=2.5, speaker="B"), Turn(start=2.5, end=3.5, speaker="A")
    )
    assert speakers((0, 3.5), turns=turns) == ["A"]


def test_a_word_in_a_gap_goes_to_the_nearest_within_the_limit() -> None:
    assert speakers((3.1, 3.3), (3.6, 3.9), (6.5, 7), (6.6, 7), turns=DIALOGUE) == ["A", "B", "B", None]


def test_a_word_without_length_is_found() -> None:
    assert speakers((1.5, 1.5), (3.2, 3.2), (9.0, 9.0), turns=DIALOGUE) == ["A", "A", None]


def test_turns_of_nobody_give_no_speaker() -> None:
    assert speakers((1, 2), turns=record(Turn(start=0, end=5))) == [None]
    assert speakers((1, 2), turns=record()) == [None]
    assert assign_speakers([], DIALOGUE, 0.5) == ()


@given(words, turns, st.sampled_from([0.0, 0.5, 3.0]))
def test_it_agrees_with_one_word_at_a_time(spoken: list[Word], found: list[Turn], limit: float) -> None:
    exclusive = [turn for turn in exclusive_turns(found) if turn.speaker is not None]
    for word, got in zip(spoken, assign_speakers(spoken, record(*found), limit), strict=True):
        assert got.model_copy(update={"speaker": None}) == word
        overlaps: dict[str | None, float] = {}
        for turn in exclusive:
            shared = min(word.end, turn.end) - max(word.start, turn.start)
            overlaps[turn.speaker] = overlaps.get(turn.speaker, 0) + max(0.0, shared)
        if overlaps and max(overlaps.values()) > 1e-6:
            assert overlaps[got.speaker] >= max(overlaps.values()) - 1e-6
            continue
        gaps = [(max(turn.start - word.end, word.start - turn.end, 0.0), turn.speaker) for turn in exclusive]
        nearest = min((gap for gap, _ in gaps), default=float("inf"))
        if nearest > limit + 1e-6:
            assert got.speaker is None
        elif nearest < limit - 1e-6:
            assert got.speaker in {speaker for gap, speaker in gaps if gap < nearest + 1e-6}


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
