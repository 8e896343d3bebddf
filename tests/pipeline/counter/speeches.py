"""Two tiny speeches and three candidates, small enough to work every score out on paper.

Every word is its own stem, none is a stop word, and a letter stands for each in the comments of the tests:
a cat, b dog, c fish, d bird, e tree, f rock, g sun, h moon.
"""

import numpy as np

from pipeline.counter.texts import SpeechText
from pipeline.text.encoders.word_vectors import WordVectors

WORDS = ("cat", "dog", "fish", "bird", "tree", "rock", "sun", "moon")
VECTORS = WordVectors(
    "tiny",
    "",
    {word: row for row, word in enumerate(WORDS)},
    np.random.default_rng(1).normal(size=(8, 3)).astype(np.float32),
)


def speech(name: str, *sentences: str, speakers: tuple[str, ...] = ()) -> SpeechText:
    return SpeechText(name, sentences, speakers)


SUPPORTING = speech("supporting", "Cat dog fish.", "Bird cat.")  # abc da
OTHER_SUPPORTING = speech("other supporting", "Sun moon.", "Tree sun.")  # gh eg
FIRST = speech("first", "Cat dog tree.", "Cat.")  # abe a
SECOND = speech("second", "Fish tree.", "Rock fish.")  # ce fc
THIRD = speech("third", "Moon sun.")  # hg
CANDIDATES = (FIRST, SECOND, THIRD)
EMPTY = speech("empty")
