"""Skip-thought: the published equations step by step in numpy, and a training that learns and can be resumed."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.mentions.evaluate.encoders import SkipThought, load_skip_thought, words_of
from pipeline.mentions.train_skip_thought import SkipThoughtOptions, expanded, train
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


DOCUMENTS = [
    ["We should ban boxing.", "It harms the brain.", "Young people get hurt.", "So we should ban it."],
    ["Boxing should stay.", "It builds character.", "Young people learn discipline.", "So it should stay."],
] * 4
SMALL = SkipThoughtOptions(dimensions=16, word_dimensions=8, vocabulary=50, epochs=4, batch=4, learning_rate=0.02)


def test_training_learns_and_can_be_stopped(tmp_path: Path) -> None:
    losses: list[float] = []
    train(DOCUMENTS, tmp_path / "whole", SMALL, progress=lambda share, word: losses.append(float(word.split()[-1])))
    assert losses[-1] < losses[0] - 0.3

    class Stopped(Exception):
        pass

    def stop_in_third_epoch(share: float, word: str) -> None:
        if word.startswith("epoch 3"):
            raise Stopped

    with pytest.raises(Stopped):
        train(DOCUMENTS, tmp_path / "parts", SMALL, progress=stop_in_third_epoch)
    train(DOCUMENTS, tmp_path / "parts", SMALL)
    for name in ("uni_skip.npz", "utable.npy"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [
        "dictionary.txt",
        "uni_skip.npz",
        "utable.npy",
    ]
    encoder = load_skip_thought(tmp_path / "whole")
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(["We should ban boxing."])), 1, atol=1e-5)


def test_a_training_on_other_texts_begins_anew(tmp_path: Path) -> None:
    def stop_in_second_epoch(share: float, word: str) -> None:
        if word.startswith("epoch 2"):
            raise InterruptedError

    others = [document[::-1] for document in DOCUMENTS]
    with pytest.raises(InterruptedError):
        train(others, tmp_path / "parts", SMALL, progress=stop_in_second_epoch)
    train(DOCUMENTS, tmp_path / "parts", SMALL)
    train(DOCUMENTS, tmp_path / "whole", SMALL)
    assert (tmp_path / "whole" / "uni_skip.npz").read_bytes() == (tmp_path / "parts" / "uni_skip.npz").read_bytes()


def test_texts_without_neighbours_cannot_be_trained_on(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="three sentences in a row"):
        train([["One."], ["Two."]], tmp_path, SMALL)


def test_expansion_maps_words_as_the_shared_ones() -> None:
    random = np.random.default_rng(0)
    known = random.normal(size=(6, 3)).astype(np.float32)
    mapping = random.normal(size=(3, 4)).astype(np.float32)
    vectors = WordVectors("toy", "0", {f"w{i}": i for i in range(6)}, known)
    words, table = expanded(["w0", "w1", "w2", "w3"], known[:4] @ mapping, vectors)
    assert words == ["w0", "w1", "w2", "w3", "w4", "w5"]
    np.testing.assert_allclose(table, known @ mapping, atol=1e-4)
