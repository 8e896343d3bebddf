"""Stretches of speech packed into windows of a recogniser's length, and the window's clock."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.arrays import Samples
from pipeline.records import SAMPLE_RATE, Word
from pipeline.transcribe.windows import Stretch, Window, windows

PAUSE, LENGTH = 2.0, 30.0


@st.composite
def stretches(draw: st.DrawFn) -> list[Stretch]:
    """Stretches in order, without overlap."""
    steps = draw(st.lists(st.tuples(st.floats(0.1, 20), st.floats(0.2, 45)), min_size=1, max_size=12))
    found, clock = [], 0.0
    for gap, length in steps:
        found.append((clock + gap, clock + gap + length))
        clock += gap + length
    return found


def clocked(start: float, end: float) -> Samples:
    """Samples that say when they were recorded, a thousand a second."""
    return np.arange(round(start * 1000), round(end * 1000)).astype(np.float32) / 1000


def test_no_speech_no_windows() -> None:
    assert windows([], PAUSE, LENGTH) == []


def test_speech_far_apart_is_decoded_together() -> None:
    found = windows([(0, 10), (60, 68), (69, 79), (80, 85)], PAUSE, LENGTH)
    assert [window.stretches for window in found] == [((0, 10), (60, 68)), ((69, 79), (80, 85))]
    assert [window.pieces for window in found] == [((0, 11), (59, 68)), ((69, 85),)]
    assert [window.length for window in found] == [20, 16]


def test_a_stretch_that_is_longer_has_a_window_of_its_own() -> None:
    assert [window.length for window in windows([(0, 10), (10.5, 99), (99.5, 100)], PAUSE, LENGTH)] == [10, 88.5, 0.5]


def test_the_clock_stands_still_where_silence_is_cut_out() -> None:
    window = Window([(5.0, 10.0), (100.0, 104.0)], PAUSE)
    assert [window.recorded(moment) for moment in (0.0, 5.5, 6.5, 11.0)] == [5.0, 10.5, 99.5, 104.0]
    assert window.speech_after(4.0) == pytest.approx(5.0)
    assert window.read(clocked, 5.9, 6.1) == pytest.approx(
        np.concatenate([clocked(10.9, 11.0), clocked(99.0, 99.1)]), abs=2e-3
    )


def test_a_word_is_where_its_middle_is() -> None:
    window = Window([(5.0, 10.0), (100.0, 104.0)], PAUSE)
    before = window.placed(Word(text="a", start=5.2, end=6.4, probability=1.0))
    after = window.placed(Word(text="b", start=5.8, end=7.4, probability=1.0))
    assert (before.start, before.end) == (10.2, 11.0)
    assert (after.start, after.end) == (99.0, 100.4)


@given(stretches())
def test_all_speech_is_decoded_once_in_order_and_within_length(found: list[Stretch]) -> None:
    packed = windows(found, PAUSE, LENGTH)
    assert [stretch for window in packed for stretch in window.stretches] == found
    assert all(window.length <= LENGTH + 1e-6 or len(window.stretches) == 1 for window in packed)
    pieces = [piece for window in packed for piece in window.pieces]
    assert all(start < end for start, end in pieces)
    assert all(one[1] <= other[0] for one, other in zip(pieces, pieces[1:], strict=False)), "nothing is heard twice"
    for start, end in found:
        assert any(first <= start and end <= last for first, last in pieces)


@given(stretches(), st.floats(0, 1), st.floats(0, 1))
def test_times_run_with_the_recording(found: list[Stretch], one: float, other: float) -> None:
    window = windows(found, PAUSE, LENGTH)[0]
    earlier, later = sorted((one * window.length, other * window.length))
    assert window.recorded(earlier) <= window.recorded(later)
    assert window.recorded(0.0) == found[0][0]
    assert window.recorded(window.length) == pytest.approx(window.stretches[-1][1])


def test_samples_are_those_of_the_recording() -> None:
    recording = np.random.default_rng(0).normal(size=SAMPLE_RATE).astype(np.float32)
    window = Window([(0.1, 0.9)], PAUSE)
    read = window.read(lambda start, end: recording[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)], 0.0, 0.8)
    assert np.array_equal(read, recording[1600:14400])
