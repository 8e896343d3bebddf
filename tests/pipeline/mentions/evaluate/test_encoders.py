"""Skip-thought by the published equations step by step in numpy, refused folders, and means of word vectors."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.mentions.evaluate.encoders import (
    SkipThought,
    WordMeanEncoder,
    as_one_text,
    inverse_document_frequencies,
    load_skip_thought,
    words_of,
)
from pipeline.mentions.features import speech_vectors
from pipeline.text.encoders.word_vectors import WordVectors

WORDS = ["<eos>", "UNK", "we", "should", "ban", "boxing", "do", "n't", "."]


def published_weights(prefix: str, inputs: int, size: int, random: np.random.Generator) -> dict[str, Floats32]:
    shapes = {"W": (inputs, 2 * size), "b": (2 * size,), "U": (size, 2 * size)}
    shapes |= {"Wx": (inputs, size), "bx": (size,), "Ux": (size, size)}
    return {f"{prefix}_{name}": random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def last_state(arrays: dict[str, Floats32], prefix: str, inputs: Floats32) -> Floats32:
    """The authors' own step: r and u from the gates, the candidate with r outside of the product."""
    w, b, u, wx, bx, ux = (arrays[f"{prefix}_{name}"] for name in ("W", "b", "U", "Wx", "bx", "Ux"))
    size = len(bx)
    state = np.zeros(size, np.float32)
    for word in inputs:
        gates = 1 / (1 + np.exp(-(state @ u + word @ w + b)))
        reset, update = gates[:size], gates[size:]
        candidate = np.tanh((state @ ux) * reset + word @ wx + bx)
        state = update * state + (1 - update) * candidate
    return state


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    (tmp_path / "dictionary.txt").write_text("\n".join(WORDS) + "\n")
    np.save(tmp_path / "utable.npy", random.normal(size=(len(WORDS), 4)).astype(np.float32))
    np.savez(tmp_path / "uni_skip.npz", **published_weights("encoder", 4, 6, random))
    return tmp_path


def unit(vector: Floats32) -> Floats32:
    return np.asarray(vector / np.linalg.norm(vector))


def test_the_published_equations(folder: Path) -> None:
    table = np.load(folder / "utable.npy")
    expected = last_state(dict(np.load(folder / "uni_skip.npz")), "encoder", table[[2, 3, 4, 5, 8]])
    texts = ["boxing", "We should ban boxing.", ""]
    vectors = SkipThought(folder).encode(texts)
    np.testing.assert_allclose(vectors[1], unit(expected), atol=1e-5)
    np.testing.assert_allclose(SkipThought(folder).encode(texts[1:2])[0], vectors[1], atol=1e-6)


def test_both_directions_stand_beside_the_first_model(folder: Path) -> None:
    random = np.random.default_rng(1)
    both = {**published_weights("encoder", 4, 3, random), **published_weights("encoder_r", 4, 3, random)}
    table = random.normal(size=(len(WORDS), 4)).astype(np.float32)
    np.savez(folder / "bi_skip.npz", **both)
    np.save(folder / "btable.npy", table)
    inputs = table[[2, 3, 4]]
    second = np.concatenate([last_state(both, "encoder", inputs), last_state(both, "encoder_r", inputs[::-1])])
    first = last_state(dict(np.load(folder / "uni_skip.npz")), "encoder", np.load(folder / "utable.npy")[[2, 3, 4]])
    expected = unit(np.concatenate([unit(first), unit(second)]))
    np.testing.assert_allclose(SkipThought(folder).encode(["we should ban"])[0], expected, atol=1e-5)


def test_words_as_the_tables_have_them(folder: Path) -> None:
    assert words_of("We don't.") == ["We", "do", "n't", "."]
    model = SkipThought(folder)
    assert model.rows("We don't judge.") == [2, 6, 7, 1, 8]
    assert model.rows("") == [1]


@pytest.mark.parametrize("name", ["uni_skip.npz", "utable.npy", "dictionary.txt"])
def test_a_folder_without_a_model_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(RostrumError, match=f"no {name}, so no skip-thought model"):
        load_skip_thought(folder)


def test_arrays_of_another_kind_are_refused(folder: Path) -> None:
    np.savez(folder / "uni_skip.npz", weights=np.zeros(3))
    with pytest.raises(RostrumError, match="no array of numbers encoder_W"):
        SkipThought(folder)
    np.savez(folder / "uni_skip.npz", encoder_W=np.array([{"a": 1}], dtype=object))
    with pytest.raises(RostrumError, match="no array of numbers encoder_W"):
        SkipThought(folder)


def test_word_means_are_weighted_by_rarity_and_know_no_stop_words() -> None:
    idf = inverse_document_frequencies(["ban boxing now", "ban smoking", "we ban it", "ban and ban"])
    assert idf["ban"] == 0
    assert idf["boxing"] == pytest.approx(np.log(4))
    vectors = WordVectors(
        "toy", "0", {"ban": 0, "boxing": 1, "we": 2, "chess": 3}, np.array([[1, 0], [0, 1], [5, 5], [3, 0]], np.float32)
    )
    encoder = WordMeanEncoder(vectors, idf)
    # 'ban' is everywhere and weighs nothing, 'we' is a stop word
    np.testing.assert_allclose(encoder.encode(["We ban boxing!"]), [[0, 1]], atol=1e-6)
    # an unseen word weighs as much as the average one
    average = np.mean(list(idf.values()))
    expected = np.array([3 * average, np.log(4)])
    np.testing.assert_allclose(encoder.encode(["boxing chess"]), [expected / np.linalg.norm(expected)], atol=1e-6)
    np.testing.assert_array_equal(encoder.encode(["unheard"]), [[0, 0]])
    assert encoder.encode([]).shape == (0, 2)
    # a speech is one text, not the mean of its sentences
    speech = speech_vectors(encoder, ["boxing", "chess chess"], as_one_text)
    both = np.array([6 * average, np.log(4)])
    np.testing.assert_allclose(speech.whole, both / np.linalg.norm(both), atol=1e-6)


def test_words_are_in_the_order_in_which_they_were_said() -> None:
    """Which of two words with one stem counts depends on it. In the order of a set, figures change by chance."""
    words = [f"word{number}" for number in range(100)]
    assert list(inverse_document_frequencies([" ".join(words), "word7 last"])) == [*words, "last"]
