"""Encoders: each text is embedded once; ONNX files give the vectors their tokens' pooling says."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.errors import RostrumError
from pipeline.evaluation.fine_tuning import load_base
from pipeline.text.encoders import sentence_encoder
from pipeline.text.encoders.cross_encoder import load_cross_encoder
from pipeline.text.encoders.onnx_encoder import OnnxEncoder
from pipeline.text.encoders.sentence_encoder import SentenceEncoder, load_encoder


def test_each_text_is_embedded_once() -> None:
    seen: list[str] = []

    def embed(texts: list[str]) -> NDArray[np.float32]:
        seen.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    encoder = SentenceEncoder("lengths", "0", embed)
    first = encoder.encode(["ban", "boxing", "ban"])
    np.testing.assert_array_equal(first, [[3, 1], [6, 1], [3, 1]])
    np.testing.assert_array_equal(encoder.encode(["boxing", "now"]), [[6, 1], [3, 1]])
    assert seen == ["ban", "boxing", "now"]
    assert encoder.encode([]).shape == (0, 2)


def embed_lengths(texts: list[str]) -> NDArray[np.float32]:
    return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def embed_nothing(texts: list[str]) -> NDArray[np.float32]:
    raise AssertionError(f"embedded again: {texts}")


def test_kept_vectors_spare_the_model_in_the_next_run(tmp_path: Path) -> None:
    kept = tmp_path / "vectors" / "lengths.sqlite"
    texts = [f"sentence {number} \ud800" for number in range(1200)]
    first = SentenceEncoder("lengths", "0", embed_lengths, kept).encode(texts)
    second = SentenceEncoder("lengths", "0", embed_nothing, kept).encode(texts)
    np.testing.assert_array_equal(first, second)
    assert b"sentence" not in kept.read_bytes()


def test_a_cache_that_is_none_costs_time_and_nothing_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "damaged.sqlite").write_bytes(b"no database" * 200)
    for path in (tmp_path / "damaged.sqlite", tmp_path / "damaged.sqlite" / "below" / "a.sqlite"):
        caplog.clear()
        encoder = SentenceEncoder("lengths", "0", embed_lengths, path)
        np.testing.assert_array_equal(encoder.encode(["ban", "boxing"]), [[3, 1], [6, 1]])
        assert len(caplog.records) == 1
        assert str(path) in caplog.text


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "bge-small-en-v1.5-int8"])
def test_packaged_encoders_put_paraphrases_together(name: str) -> None:
    try:
        encoder = load_encoder(name)
    except RostrumError as error:
        pytest.skip(str(error))
    vectors = encoder.encode(["We should ban boxing.", "Boxing ought to be prohibited.", "I baked a nice cake."])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_a_text_is_not_changed_by_those_beside_it() -> None:
    try:
        load_encoder("bge-small-en-v1.5-int8")
    except RostrumError as error:
        pytest.skip(str(error))
    from pipeline import models

    onnx = OnnxEncoder(models.find("bge-small-en-v1.5-int8").path)
    texts = ["short", "a text that is a good deal longer than the other one " * 5]
    together = onnx.encode(texts * 20)
    for row, text in zip(together, texts * 20, strict=True):
        np.testing.assert_array_equal(row, onnx.encode([text])[0])


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({}))
    with pytest.raises(RostrumError, match="one .onnx file and a tokenizer.json"):
        OnnxEncoder(tmp_path)


def test_of_very_many_texts_the_last_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_encoder, "HELD", 3)
    asked: list[str] = []

    def embed(texts: list[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return np.array([[float(len(text))] for text in texts], dtype=np.float32)

    encoder = SentenceEncoder("lengths", "", embed)
    assert encoder.encode(["a", "bb", "ccc", "dddd", "a"]).ravel().tolist() == [1, 2, 3, 4, 1]
    assert encoder.encode(["dddd", "bb"]).ravel().tolist() == [4, 2]
    assert encoder.encode(["a"]).ravel().tolist() == [1]
    assert asked == ["a", "bb", "ccc", "dddd", "a"]


@pytest.mark.parametrize(
    ("modules", "told"),
    [
        ('[{"type": "joblib.numpy_pickle", "path": ""}]', "joblib.numpy_pickle is not a part of sentence-transformers"),
        ("[1]", "not the modules of a sentence-transformers model"),
        ("{", "not the modules of a sentence-transformers model"),
    ],
)
def test_a_model_s_folder_runs_no_code_of_other_packages(tmp_path: Path, modules: str, told: str) -> None:
    (tmp_path / "modules.json").write_text(modules)
    (tmp_path / "model.safetensors").write_bytes(b"")
    readers: list[Callable[[str], object]] = [
        lambda path: load_encoder(path).encode(["We should ban zoos."]),
        load_cross_encoder,
        load_base,
    ]
    for read in readers:
        with pytest.raises(RostrumError, match=told):
            read(str(tmp_path))
