"""Word vectors of every format, and what is said of files that are none."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.text.encoders.word_vectors import load_vectors, read_vectors

WORDS = ["ban", "boxing", "Britain", ". . ."]
TABLE = np.array([[0.25, -1.0, 3.5], [1.0, 2.0, 3.0], [0.0, 0.5, -0.5], [4.0, 4.0, 4.0]], dtype=np.float32)


def as_text(words: list[str], table: np.ndarray, header: bool) -> bytes:
    lines = [f"{len(words)} {table.shape[1]}"] if header else []
    lines += [
        f"{word} {' '.join(repr(float(number)) for number in row)}" for word, row in zip(words, table, strict=True)
    ]
    return ("\n".join(lines) + "\n").encode()


def as_binary(words: list[str], table: np.ndarray, line_break: bytes) -> bytes:
    records = [
        word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + line_break
        for word, row in zip(words, table, strict=True)
    ]
    return f"{len(words)} {table.shape[1]}\n".encode() + b"".join(records)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(as_text(WORDS, TABLE, header=False), id="glove"),
        pytest.param(as_text(WORDS, TABLE, header=True), id="word2vec text, fastText"),
        pytest.param(gzip.compress(as_text(WORDS, TABLE, header=True)), id="numberbatch, gzipped"),
        pytest.param(as_binary(WORDS[:3], TABLE[:3], b"\n"), id="word2vec binary"),
        pytest.param(gzip.compress(as_binary(WORDS[:3], TABLE[:3], b"")), id="gensim binary, gzipped"),
    ],
)
def test_every_format_gives_the_same_words_and_numbers(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    words, table = read_vectors(path)
    assert words == WORDS[: len(words)]
    np.testing.assert_array_equal(table, TABLE[: len(words)])


def test_multilingual_numberbatch_keeps_its_english_words(tmp_path: Path) -> None:
    path = tmp_path / "numberbatch.txt"
    path.write_bytes(as_text(["/c/de/boxen", "/c/en/boxing", "/c/en/ban"], TABLE[:3], header=True))
    words, table = read_vectors(path)
    assert words == ["boxing", "ban"]
    np.testing.assert_array_equal(table, TABLE[1:3])


def test_a_word_is_found_as_written_else_in_lower_case_else_capitalised(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(as_text([*WORDS, "ban"], np.vstack([TABLE, TABLE[:1] + 1]), header=True))
    vectors = load_vectors(path)
    assert vectors.dimensions == 3
    found, rows = vectors.matrix(["Ban", "unheard", "britain"])
    assert found == ["Ban", "britain"]
    np.testing.assert_array_equal(rows, TABLE[[0, 2]])  # and of two rows the first
    assert "britain" in vectors
    assert "unheard" not in vectors


def test_matrix_leaves_out_words_without_a_vector(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(as_text(WORDS, TABLE, header=False))
    found, matrix = load_vectors(path).matrix(["boxing", "unheard", "ban", "boxing"])
    assert found == ["boxing", "ban", "boxing"]
    np.testing.assert_array_equal(matrix, TABLE[[1, 0, 1]])
    none, empty = load_vectors(path).matrix(["unheard"])
    assert none == []
    assert empty.shape == (0, 3)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"ban 1.0 2.0\nboxing 1.0\n", "line 2 is not a word and 2 numbers"),
        (b"2 3\nban 1.0 2.0 3.0\nboxing 1.0 two 3.0\n", "line 3 is not a word"),
        (b"", "no word vectors"),
        (b"just some prose\n", "line 1 is not a word"),
        (as_binary(WORDS, TABLE, b"\n")[:-12], "ends after 3 of 4 words"),
        (b"99999999999 300\nban", "too small for the"),
        ((793712314).to_bytes(4, "little") + b"\0" * 8, "give the .vec file"),
    ],
)
def test_what_is_no_vector_file_is_refused_in_one_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(RostrumError, match=complaint) as raised:
        read_vectors(path)
    assert "\n" not in str(raised.value)


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=8),
            st.lists(st.floats(-1e3, 1e3, width=32), min_size=4, max_size=4),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_text_and_binary_agree(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, list[float]]]
) -> None:
    words = [word for word, _ in entries]
    table = np.array([row for _, row in entries], dtype=np.float32)
    folder = tmp_path_factory.mktemp("vectors")
    (folder / "text").write_bytes(as_text(words, table, header=True))
    (folder / "binary").write_bytes(as_binary(words, table, b"\n"))
    from_text, from_binary = read_vectors(folder / "text"), read_vectors(folder / "binary")
    assert from_text[0] == from_binary[0] == words
    np.testing.assert_array_equal(from_text[1], table)
    np.testing.assert_array_equal(from_binary[1], table)


def test_the_packaged_vectors_know_their_neighbours() -> None:
    try:
        vectors = load_vectors()
    except RostrumError as error:
        pytest.skip(str(error))
    assert (len(vectors), vectors.dimensions) == (400_000, 50)
    assert vectors.digest == models.find("glove-6b-50d").digest
    # the first numbers of 'the' in Stanford's own glove.6B.50d.txt
    _, (the, king, queen, cabbage) = vectors.matrix(["the", "king", "queen", "cabbage"])
    np.testing.assert_allclose(the[:3], [0.418, 0.24968, -0.41242], atol=1e-5)
    assert king @ queen > king @ cabbage
