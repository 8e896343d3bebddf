from hypothesis import given
from hypothesis import strategies as st

from pipeline.asr import Stretch, windows

LENGTH, PAUSE = 30.0, 2.0


@st.composite
def stretches(draw: st.DrawFn) -> list[Stretch]:
    found, moment = [], 0.0
    for gap, length in draw(st.lists(st.tuples(st.floats(0, 10), st.floats(0.1, 50)))):
        found.append((moment + gap, moment + gap + length))
        moment = found[-1][1]
    return found


def test_no_speech_no_windows() -> None:
    assert windows([], PAUSE, LENGTH) == []


def test_pauses_and_length_part_windows() -> None:
    found = windows([(0, 10), (11, 20), (23, 24), (25, 40), (41, 53.5), (54, 99)], PAUSE, LENGTH)
    assert found == [[(0, 10), (11, 20)], [(23, 24), (25, 40)], [(41, 53.5)], [(54, 99)]]


@given(stretches())
def test_every_stretch_is_in_one_window_in_order(found: list[Stretch]) -> None:
    packed = windows(found, PAUSE, LENGTH)
    assert [each for window in packed for each in window] == found
    for window in packed:
        assert len(window) == 1 or window[-1][1] - window[0][0] <= LENGTH
        assert all(after[0] - before[1] <= PAUSE for before, after in zip(window, window[1:], strict=False))
