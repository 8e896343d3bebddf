import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.readability import FORMULAS, count, readability, vowel_groups

# Two sentences, 11 words.
TEXT = "The committee considered every alternative. Nobody liked it, so they left."


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("cat", 1),
        ("table", 2),
        ("committee", 3),
        ("alternative", 4),
        ("made", 1),
        ("the", 1),
        ("free", 1),
        ("rhythm", 1),
    ],
)
def test_vowel_groups(word, number):
    assert vowel_groups(word) == number


def test_counts_by_hand():
    counts = count(TEXT)
    assert counts.sentences == 2
    assert counts.words == 11
    assert counts.letters == len("TheCommitteeConsideredEveryAlternativeNobodyLikedItSoTheyLeft")
    assert counts.long_words == 3
    # the 1, committee 3, considered 4 by vowel groups, every 3, alternative 4; nobody 3, liked 2, it so they left 4
    assert counts.polysyllables == 5


def test_formulas_by_hand():
    words, sentences, letters = 11, 2, count(TEXT).letters
    values = readability(TEXT)
    assert values["ari"] == pytest.approx(4.71 * letters / words + 0.5 * words / sentences - 21.43)
    assert values["coleman_liau"] == pytest.approx(
        0.0588 * letters / words * 100 - 0.296 * sentences / words * 100 - 15.8
    )
    assert values["gunning_fog"] == pytest.approx(0.4 * (5.5 + 100 * 5 / 11))
    assert values["lix"] == pytest.approx(5.5 + 100 * 3 / 11)
    assert values["smog"] == pytest.approx(1.043 * math.sqrt(5 * 30 / 2) + 3.1291)
    assert set(values) == set(FORMULAS)


def test_easier_text_is_easier():
    easy = readability("We ran. He sat. It was fun. I like it.")
    hard = readability(
        "Constitutional jurisprudence necessitates considerable interpretative deliberation concerning institutions."
    )
    assert easy["flesch"] > hard["flesch"] + 50
    assert all(easy[name] < hard[name] for name in FORMULAS if name != "flesch")


@given(st.text(max_size=200))
def test_always_finite(text):
    assert all(math.isfinite(value) for value in readability(text).values())
