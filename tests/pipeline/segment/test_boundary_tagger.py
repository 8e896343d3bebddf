from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.records import Word
from pipeline.segment import boundary_tagger
from pipeline.segment.boundary_tagger import (
    FEATURES,
    OUTPUTS,
    REACH,
    BoundaryTagger,
    Inputs,
    Network,
    Tags,
    Thresholds,
    decide,
    stacked,
    timing,
    with_neighbours,
)
from pipeline.segment.human_marks import COMMA, FULL_STOP, NONE, QUESTION, human_marks
from pipeline.segment.train_segmenter import Example, SeenSpeech, TaggerOptions, best_thresholds, train_tagger

DIMENSIONS = 3


def spoken(text: str, pause: float = 0.5) -> list[Word]:
    """A word each half second; `/` is a pause."""
    words, time = [], 0.0
    for word in text.split():
        if word == "/":
            time += pause
        else:
            words.append(Word(text=word, start=time, end=time + 0.5))
            time += 0.5
    return words


def made_up_vectors(words: list[Word] | tuple[Word, ...]) -> Floats32:
    """Vectors by the words' letters, in place of an encoder's."""
    rows = [[len(word.text), ord(word.text[0]) % 7, ord(word.text[-1]) % 5] for word in words]
    return np.array(rows, dtype=np.float32).reshape(-1, DIMENSIONS)


def tagger(thresholds: Thresholds | None = None, members: int = 2) -> BoundaryTagger:
    random = np.random.default_rng(0)
    width = 2 * DIMENSIONS + FEATURES * (2 * REACH + 1)
    networks = [
        Network(
            tuple(
                (random.normal(size=shape).astype(np.float32), random.normal(size=shape[1]).astype(np.float32))
                for shape in ((width, 5), (5, OUTPUTS))
            )
        )
        for _ in range(members)
    ]
    zeros, ones = np.zeros(DIMENSIONS + FEATURES, np.float32), np.ones(DIMENSIONS + FEATURES, np.float32)
    return BoundaryTagger("none", "digest", 4, zeros, ones, tuple(networks), thresholds or Thresholds())


def test_timing_by_hand() -> None:
    rows = timing(spoken("one / two three", pause=0.5))
    assert rows.shape == (3, FEATURES)
    # log(pause + 0.05) after and before; the edges count as two seconds
    np.testing.assert_allclose(rows[:, 0], np.log([0.55, 0.05, 2.05]), rtol=1e-5)
    np.testing.assert_allclose(rows[:, 1], np.log([2.05, 0.55, 0.05]), rtol=1e-5)
    assert rows[:, 2].tolist() == [1, 0, 1]
    # of three pauses, the middle one is the second
    np.testing.assert_allclose(rows[:, 7], [2 / 3, 1 / 3, 1], rtol=1e-5)


def test_a_word_longer_than_its_letters_let_expect_is_lengthened() -> None:
    words = [Word(text="word", start=i, end=i + (0.6 if i == 3 else 0.3)) for i in range(8)]
    assert timing(words)[:, 4].argmax() == 3


@given(st.lists(st.tuples(st.text(max_size=4), st.floats(0, 9), st.floats(0, 9)), max_size=12))
def test_timing_is_finite_whatever_the_times(rows: list[tuple[str, float, float]]) -> None:
    words = [Word(text=text, start=start, end=end) for text, start, end in rows]
    found = timing(words)
    assert found.shape == (len(words), FEATURES)
    assert np.isfinite(found).all()


def test_neighbours_stand_beside_each_row_and_zeros_at_the_edges() -> None:
    rows = np.array([[1.0], [2.0], [3.0]], dtype=np.float32)
    assert with_neighbours(rows, 1).tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 0]]


def test_the_network_sees_the_next_word() -> None:
    given_ = Inputs(made_up_vectors(spoken("a bb")), np.zeros((2, FEATURES), np.float32))
    rows = stacked(given_, np.zeros(DIMENSIONS + FEATURES, np.float32), np.ones(DIMENSIONS + FEATURES, np.float32))
    assert rows[0, DIMENSIONS : 2 * DIMENSIONS].tolist() == given_.vectors[1].tolist()
    assert not rows[1, DIMENSIONS : 2 * DIMENSIONS].any()


def test_probabilities_are_probabilities_and_the_mean_of_the_votes() -> None:
    words = spoken("one two / three four")
    given_ = Inputs(made_up_vectors(words), timing(words))
    both = tagger()
    found = both.probabilities(given_)
    np.testing.assert_allclose(found[:, :-1].sum(axis=1), 1, rtol=1e-5)
    alone = [
        BoundaryTagger("none", "digest", 4, both.shift, both.scale, (network,), Thresholds()).probabilities(given_)
        for network in both.networks
    ]
    np.testing.assert_allclose(found, np.mean(alone, axis=0), rtol=1e-5)


def test_decisions_by_their_thresholds() -> None:
    rows = np.array(
        [
            [0.5, 0.4, 0.1, 0.9],  # a comma, and a capital
            [0.3, 0.0, 0.7, 0.1],  # an end
            [0.9, 0.1, 0.0, 0.0],
            [0.9, 0.1, 0.0, 0.0],  # the last word ends whatever the network says
        ],
        dtype=np.float32,
    )
    tags = decide(rows, Thresholds(boundary=0.6, comma=0.3), spoken("why now we act"))
    assert tags.marks.tolist() == [COMMA, QUESTION, NONE, FULL_STOP]
    assert tags.capitals.tolist() == [True, False, False, False]
    assert tags.ends == [2, 4]


def test_written_words_carry_marks_and_capitals() -> None:
    words = spoken("we in the U. S. i'm america iron why")
    marks = np.array([COMMA, NONE, NONE, NONE, FULL_STOP, NONE, NONE, FULL_STOP, QUESTION])
    capitals = np.array([False] * 6 + [True] + [False] * 2)
    assert " ".join(Tags(marks, capitals).written(words)) == "We, in the U. S. I'm America iron. Why?"


def test_a_change_of_speaker_ends_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary_tagger, "inputs", lambda words, *_: Inputs(made_up_vectors(words), timing(words)))
    words = [
        word.model_copy(update={"speaker": speaker})
        for word, speaker in zip(spoken("a b c d"), ["x", "x", "y", "y"], strict=True)
    ]
    never = tagger(Thresholds(boundary=1.1))
    assert never.tag(words).ends == [2, 4]
    assert never.tag([]).ends == []


def test_a_tagger_comes_back_as_it_was(tmp_path: Path) -> None:
    before = tagger(Thresholds(0.3, 0.1, 0.6))
    before.save(tmp_path / "folder" / "tagger.safetensors")
    after = BoundaryTagger.load(tmp_path / "folder" / "tagger.safetensors")
    assert after.thresholds == before.thresholds
    words = spoken("one two three / four")
    given_ = Inputs(made_up_vectors(words), timing(words))
    np.testing.assert_array_equal(after.probabilities(given_), before.probabilities(given_))


def test_another_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "tagger.safetensors"
    with pytest.raises(RostrumError, match="no boundary tagger there"):
        BoundaryTagger.load(path)
    path.write_bytes(b"not safetensors at all")
    with pytest.raises(RostrumError, match="not a boundary tagger"):
        BoundaryTagger.load(path)


def examples() -> list[SeenSpeech]:
    """Speeches in which a pause of a second ends a sentence."""
    found = []
    random = np.random.default_rng(0)
    for motion in range(6):
        lengths = random.integers(3, 8, size=20)
        lines = ["We " + " ".join(["ban"] * (length - 2)) + " it." for length in lengths]
        words = spoken(" / ".join(lines).lower().replace(".", ""), pause=1.0)
        example = Example(str(motion), tuple(words), human_marks(words, lines))
        found.append(SeenSpeech(example, Inputs(made_up_vectors(words), timing(words))))
    return found


def test_training_finds_what_ends_sentences_and_is_the_same_by_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.segment import train_segmenter as boundary_training

    class Encoder:
        digest = "digest"

    monkeypatch.setattr(boundary_training, "load_contextual", lambda *_: Encoder())
    speeches = examples()
    options = TaggerOptions(members=2, hidden=(8,), epochs=6, batch=16, dropout=0.1)
    trained = train_tagger(speeches, options)
    again = train_tagger(speeches, options)
    for speech in speeches:
        probabilities = trained.probabilities(speech.inputs)
        np.testing.assert_array_equal(probabilities, again.probabilities(speech.inputs))
        tags = decide(probabilities, trained.thresholds, speech.example.words)
        human = speech.example.human
        assert human.boundaries_of(tags.ends).tolist() == human.boundaries.tolist()


def test_thresholds_have_the_highest_f1() -> None:
    words = spoken("we ban it we do")
    human = human_marks(words, ["We ban it.", "We do."])
    rows = np.array([[0.9, 0, p, 0.9 * (i in (0, 3))] for i, p in enumerate([0.1, 0.2, 0.4, 0.3, 0.0])], np.float32)
    found = best_thresholds([rows], [human])
    assert found.boundary == pytest.approx(0.4)
    assert found.comma == 0.5  # there are none


def test_one_motion_is_not_enough() -> None:
    with pytest.raises(RostrumError, match="one motion only"):
        train_tagger(examples()[:1], TaggerOptions())


@given(st.lists(st.sampled_from("ab/"), max_size=30))
def test_every_word_is_in_one_sentence(signs: list[str]) -> None:
    words = spoken(" ".join(signs))
    probabilities = tagger().probabilities(Inputs(made_up_vectors(words), timing(words)))
    ends = decide(probabilities, Thresholds(boundary=0.3), words).ends
    assert [index for first, last in pairwise([0, *ends]) for index in range(first, last)] == list(range(len(words)))
