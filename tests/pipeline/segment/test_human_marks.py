import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.records import Word
from pipeline.score.stage import aligned_positions
from pipeline.segment.human_marks import COMMA, FULL_STOP, NONE, QUESTION, UNKNOWN, ends_of, human_marks, written_words

LINES = ["We should act, now.", "Why wait?"]


def heard(text: str) -> list[Word]:
    return [Word(text=word, start=i, end=i + 1) for i, word in enumerate(text.split())]


def test_words_and_marks_of_a_clean_transcript() -> None:
    words = written_words([*LINES, "It's everything - medical: all", ""])
    assert [(word.text, word.mark, word.final) for word in words] == [
        ("We", NONE, False),
        ("should", NONE, False),
        ("act", COMMA, False),
        ("now", FULL_STOP, True),
        ("Why", NONE, False),
        ("wait", QUESTION, True),
        ("It's", NONE, False),
        ("everything", COMMA, False),
        ("medical", COMMA, False),
        ("all", FULL_STOP, True),
    ]


def test_what_was_heard_right_gets_the_marks_as_they_are() -> None:
    marks = human_marks(heard("we should act now why wait"), LINES)
    assert marks.marks.tolist() == [NONE, NONE, COMMA, FULL_STOP, NONE, QUESTION]
    assert marks.capitals.tolist() == [1, 0, 0, 0, 1, 0]
    assert marks.boundaries_of([4, 6]).tolist() == marks.boundaries.tolist()


def test_a_substitution_is_no_boundary_error_and_its_case_is_unknown() -> None:
    marks = human_marks(heard("we should act cow why weight"), LINES)
    assert marks.boundaries_of([4, 6]).tolist() == marks.boundaries.tolist()
    assert marks.capitals[3] == UNKNOWN


def test_a_dropped_last_word_leaves_the_boundary_in_its_place() -> None:
    marks = human_marks(heard("we should act why wait"), LINES)
    assert marks.marks.tolist() == [NONE, NONE, FULL_STOP, NONE, QUESTION]
    assert marks.boundaries_of([3, 5]).tolist() == marks.boundaries.tolist()


def test_a_boundary_before_or_after_an_added_word_is_the_same() -> None:
    marks = human_marks(heard("we should act now uh why wait"), LINES)
    for ends in ([4, 7], [5, 7]):
        assert marks.boundaries_of(ends).tolist() == marks.boundaries.tolist()
    assert marks.boundaries_of([3, 7]).tolist() != marks.boundaries.tolist()


def test_a_sentence_that_was_lost_costs_nothing() -> None:
    marks = human_marks(heard("we should act now why wait"), [LINES[0], "Really not.", LINES[1]])
    assert marks.boundaries_of([4, 6]).tolist() == marks.boundaries.tolist()


def test_where_another_transcript_cuts_the_same_words() -> None:
    words = heard("we should act now why wait")
    assert ends_of(words, ["We should.", "Act now why.", "Wait."]) == [2, 5, 6]
    # it may have dropped words
    assert ends_of(words, ["We should act.", "Why wait."]) == [4, 6]


@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), min_size=1, max_size=5),
    st.lists(st.sampled_from("abcd"), max_size=15),
)
def test_slots_are_in_order_and_every_mark_is_somewhere(sentences: list[list[str]], said: list[str]) -> None:
    words = heard(" ".join(said))
    marks = human_marks(words, [" ".join(sentence) for sentence in sentences])
    assert len(marks.slots) == len(marks.marks) == len(words)
    assert (np.diff(marks.slots) >= 0).all()
    assert marks.slots.max(initial=-1) < len(marks.boundaries)
    assert (marks.marks >= FULL_STOP).sum() <= len(sentences)
    assert marks.boundaries.sum() <= len(sentences)


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_alignments_go_forward_and_pair_each_word_once(one: str, other: str) -> None:
    pairs = aligned_positions(one, other)
    assert pairs == sorted(pairs)
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    substituted = sum(one[a] != other[b] for a, b in pairs)
    assert len(one) + len(other) - 2 * len(pairs) + substituted == distance(one, other)


def distance(one: str, other: str) -> int:
    """The fewest edits, as Wagner and Fischer count them."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def test_equal_transcripts_align_word_by_word() -> None:
    assert aligned_positions("abca", "abca") == [(0, 0), (1, 1), (2, 2), (3, 3)]
