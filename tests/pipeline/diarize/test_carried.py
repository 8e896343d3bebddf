"""Voices that are carried from one window to those that overlap it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.diarize.clustering import voice_sources

FRAMES, STEP, SPEAKERS = 100, 0.1, 3


def windows(*turns: tuple[int, int], seconds: int = 20, orders: list[list[int]] | None = None) -> np.ndarray:
    """Windows of ten seconds, a second apart, over speakers who speak from start to end; in any order of speakers."""
    spoken = np.zeros((seconds * FRAMES // 10, SPEAKERS))
    for speaker, (start, end) in enumerate(turns):
        spoken[start * FRAMES // 10 : end * FRAMES // 10, speaker] = 1
    count = seconds - 10 + 1
    found = [spoken[i * FRAMES // 10 : i * FRAMES // 10 + FRAMES] for i in range(count)]
    return np.stack([window[:, orders[i]] if orders else window for i, window in enumerate(found)])


def test_a_voice_that_goes_on_is_taken_from_the_nearest_known_window() -> None:
    sources = voice_sources(windows((0, 20)), STEP, every=5)
    assert sources[:, 0, 0].tolist() == [0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10]


def test_a_voice_is_found_again_where_the_window_numbers_its_speakers_in_another_order() -> None:
    orders = [[0, 1, 2] if i % 2 else [1, 0, 2] for i in range(11)]
    active = windows((0, 8), (8, 20), orders=orders)
    sources = voice_sources(active, STEP, every=5)
    for window, speaker in [(2, 1), (3, 0), (4, 1)]:
        source, theirs = sources[window, speaker]
        assert orders[source][theirs] == orders[window][speaker]


def test_who_is_heard_in_no_known_window_has_a_voice_of_their_own() -> None:
    """The second speaks from 11 to 12 s only in windows 2 to 4 (up to 14 s); the known ones are 0 and 20, 10 s away."""
    active = windows((0, 40), (11, 12), seconds=40)
    sources = voice_sources(active, STEP, every=20)
    assert sources[4, 1].tolist() == [4, 1]


@given(
    arrays(np.float32, (9, FRAMES, SPEAKERS), elements=st.sampled_from([0.0, 1.0])),
    st.integers(1, 9),
)
def test_a_source_is_its_own_source_and_no_two_speakers_of_a_window_share_one(active: np.ndarray, every: int) -> None:
    sources = voice_sources(active, STEP, every)
    again = sources[sources[..., 0], sources[..., 1]]
    assert np.array_equal(again, sources)
    for window in sources:
        assert len({tuple(each) for each in window.tolist()}) == SPEAKERS


def test_looking_at_every_window_carries_nothing() -> None:
    active = windows((0, 20), (3, 5))
    sources = voice_sources(active, STEP, every=1)
    assert np.array_equal(sources[..., 0], np.repeat(np.arange(11)[:, None], SPEAKERS, axis=1))
