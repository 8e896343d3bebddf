"""Similarities by hand in the plane, and what holds of them always."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipeline.mentions.features import CONFIGURATIONS, Configuration, argument_vectors, scores, speech_vectors
from tests.pipeline.mentions.counting import CountingEncoder

ROOT = np.sqrt(0.5)


class Compass:
    """Knows four texts: where they point."""

    name, digest = "compass", ""
    directions = {"east": (1, 0), "north": (0, 1), "west": (-1, 0), "northeast": (ROOT, ROOT)}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.directions[text] for text in texts], dtype=np.float32)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        # the speech as a whole points north-north-east: the mean of east, north and north, 63.4 degrees
        ("title-speech", [np.cos(np.radians(63.435)), -np.cos(np.radians(63.435))]),
        ("title-sentence", [1.0, 0.0]),
        # a window of east and north points north-east, one of north and north points north
        ("title-window", [1.0, 0.0]),
        # the first argument's title and text are east and north: north-east; the second has no text
        ("arg-speech", [np.cos(np.radians(63.435 - 45)), -np.cos(np.radians(63.435))]),
        ("arg-sentence", [ROOT, 0.0]),
        ("arg-window", [1.0, 0.0]),
    ],
)
def test_configurations_by_hand(configuration: Configuration, expected: list[float]) -> None:
    speech = speech_vectors(Compass(), ["east", "north", "north"])
    arguments = argument_vectors(Compass(), ["east", "west"], [["north"], []])
    np.testing.assert_allclose(scores(arguments, speech, configuration), expected, atol=1e-4)


def test_every_configuration_is_listed() -> None:
    assert get_args(Configuration) == CONFIGURATIONS


def test_windows_are_of_two_to_four_sentences_and_inside_the_speech() -> None:
    speech = speech_vectors(CountingEncoder(), ["a", "b", "c"])
    assert speech.spans == ((0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3))
    assert len(speech.sentences) == 3
    assert len(speech_vectors(CountingEncoder(), ["alone"]).units) == 1


sentences = st.lists(st.text("abc ", min_size=1, max_size=8), min_size=1, max_size=7)


@given(sentences, sentences)
def test_scores_are_cosines_and_more_units_never_lower_them(said: list[str], titles: list[str]) -> None:
    encoder = CountingEncoder()
    speech = speech_vectors(encoder, said)
    arguments = argument_vectors(encoder, titles, [[]] * len(titles))
    found = {name: scores(arguments, speech, name) for name in CONFIGURATIONS}
    for values in found.values():
        assert (np.abs(values) <= 1 + 1e-5).all()
    assert (found["title-window"] >= found["title-sentence"] - 1e-5).all()
    np.testing.assert_allclose(
        found["arg-window"], found["title-window"], atol=1e-5
    )  # no text: the title stands for it
