"""Skip-thought: the published equations step by step in numpy, and folders that are refused."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.mentions.evaluate.encoders import SkipThought, load_skip_thought, words_of

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
