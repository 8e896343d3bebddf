from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.records import Word
from pipeline.text.sentences import (
    Cutter,
    cut,
    cut_at_pauses,
    cut_at_punctuation,
    cut_every,
    cut_into_sentences,
    punkt_folder,
    sentences,
    speaker_runs,
)

TEXTS = st.one_of(
    st.sampled_from(
        ["e.g.", "No.", "5", "Mr.", "U.S.", "we", "We", "so,", "stop.", 'stop."', "why?", ".", '"', "a.b", "Yes.No"]
    ),
    st.text(max_size=6),
)
SPEAKERS = st.sampled_from([None, "a", "b"])
PAUSES = st.floats(0, 2, allow_nan=False)


def spoken(rows: list[tuple[str, str | None, float]]) -> list[Word]:
    """Words of 0.25 s, each with the pause before it."""
    words, time = [], 0.0
    for text, speaker, pause in rows:
        words.append(Word(text=text, start=time + pause, end=time + pause + 0.25, speaker=speaker))
        time += pause + 0.25
    return words


WORDS = st.lists(st.tuples(TEXTS, SPEAKERS, PAUSES), max_size=30).map(spoken)


def has_punkt() -> bool:
    try:
        punkt_folder()
    except RostrumError:
        return False
    return True


needs_punkt = pytest.mark.skipif(not has_punkt(), reason="Punkt's tables are not on this machine")
CUTTERS = [
    pytest.param(cut_at_punctuation, marks=needs_punkt, id="punctuation"),
    pytest.param(lambda words: cut_at_pauses(words, 0.5), id="pauses"),
    pytest.param(lambda words: cut_every(words, 3), id="every"),
]


@pytest.mark.parametrize("cutter", CUTTERS)
@given(words=WORDS)
def test_every_word_is_in_one_sentence_in_order_and_no_sentence_has_two_speakers(
    cutter: Cutter, words: list[Word]
) -> None:
    found = sentences(words, cut(words, cutter))
    assert [index for each in found for index in range(each.first, each.last)] == list(range(len(words)))
    for each in found:
        inside = words[each.first : each.last]
        assert inside
        assert each.text == " ".join(word.text for word in inside).replace("’", "'")
        assert {word.speaker for word in inside} - {None} <= {each.speaker}
        assert each.start == inside[0].start
        assert each.end == inside[-1].end


@given(words=WORDS)
def test_speaker_runs_cover_all_words_and_neighbours_differ(words: list[Word]) -> None:
    runs = list(speaker_runs(words))
    assert [index for first, last, _ in runs for index in range(first, last)] == list(range(len(words)))
    assert all(one[2] != other[2] for one, other in pairwise(runs))


def test_a_word_of_nobody_goes_with_the_words_before_it() -> None:
    words = spoken([(text, speaker, 0) for text, speaker in [("x", None), ("y", "a"), ("z", None), ("w", "b")]])
    assert list(speaker_runs(words)) == [(0, 3, "a"), (3, 4, "b")]


@needs_punkt
def test_cuts_at_punctuation_fall_on_the_words_that_carry_it() -> None:
    text = "I agree, e.g. with Mr. Smith. No. 5 is wrong.Really. Is it? Yes"
    words = spoken([(word, "a", 0) for word in text.split()])
    assert [sentence.text for sentence in sentences(words, cut(words, cut_at_punctuation))] == [
        "I agree, e.g. with Mr. Smith.",
        "No. 5 is wrong.Really.",
        "Is it?",
        "Yes",
    ]


def test_pauses_of_exactly_the_threshold_cut() -> None:
    words = spoken([("one", None, 0), ("two", None, 0.5), ("three", None, 0.25)])
    assert cut_at_pauses(words, 0.5) == [1, 3]


def test_cut_every_has_no_empty_last_sentence() -> None:
    words = spoken([("w", None, 0)] * 6)
    assert cut_every(words, 3) == [3, 6]
    assert cut_every(words, 4) == [4, 6]


def test_an_apostrophe_is_written_as_recognisers_do() -> None:
    words = spoken([("We", None, 0.0), ("shouldn’t.", None, 0.0)])
    assert [sentence.text for sentence in cut_into_sentences(words, cut_at_punctuation)] == ["We shouldn't."]
