"""Word vectors: the packaged GloVe, or any word2vec, GloVe, fastText or Numberbatch file a user has."""

import functools
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, cast

import numpy as np

from pipeline.arrays import Vectors
from pipeline.errors import RostrumError

DEFAULT_VECTORS = "glove-6B-50d"

_ENGLISH = "/c/en/"  # how the multilingual Numberbatch names English words
_FASTTEXT_MODEL = (793712314).to_bytes(4, "little")
_GZIP = b"\x1f\x8b"
_GZIP_RATIO = 1032  # no gzipped file is smaller by more


@dataclass(frozen=True)
class WordVectors:
    """One vector per word. `rows` says which row of `table` a word has, in the file's order, frequent words first.

    `digest` says which vectors these are.
    """

    name: str
    digest: str
    rows: dict[str, int]
    table: Vectors

    @property
    def dimensions(self) -> int:
        return int(self.table.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def matrix(self, words: Iterable[str]) -> tuple[list[str], Vectors]:
        """The words that have a vector, in their order, and their vectors, one row per word.

        A word has the vector of its own spelling, else of its lower case, else of its capitalised form.
        """
        known = [(word, row) for word in words if (row := self._row(word)) is not None]
        return [word for word, _ in known], np.asarray(self.table[[row for _, row in known]], dtype=np.float32)

    def _row(self, word: str) -> int | None:
        for spelling in (word, word.lower(), word.capitalize()):
            if spelling in self.rows:
                return self.rows[spelling]
        return None


@functools.lru_cache(maxsize=2)
def load_vectors(name_or_path: str | Path = DEFAULT_VECTORS) -> WordVectors:
    """Vectors by the catalogue's name or by path: text (with or without a header) or word2vec binary, also gzipped."""
    from pipeline import models

    file = models.find(name_or_path)
    read = _read_packaged if file.path.is_dir() else read_vectors
    words, table = read(file.path)
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    return WordVectors(file.name, file.digest, rows, table)


def read_vectors(path: Path) -> tuple[list[str], Vectors]:
    """The words of a vector file and their vectors."""
    with path.open("rb") as start:
        magic = start.read(4)
    if magic == _FASTTEXT_MODEL:
        raise RostrumError(f"{path}: a fastText model; give the .vec file that comes with it")
    with _opened(path, magic) as file:
        first, second = file.readline(), file.readline()
        header = _header(first)
        if header is None:
            return _from_text(path, chain([first, second], file), dimensions=len(first.split()) - 1, line=1)
        if _is_text(second, header[1]):
            return _from_text(path, chain([second], file), dimensions=header[1], line=2)
    with _opened(path, magic) as file:
        file.readline()
        return _from_binary(path, file, *header)


def _opened(path: Path, magic: bytes) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if magic.startswith(_GZIP) else path.open("rb")


def _header(line: bytes) -> tuple[int, int] | None:
    """(words, dimensions) where the file begins with them, as all but GloVe's do."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _is_text(line: bytes, dimensions: int) -> bool:
    fields = line.rstrip().rsplit(b" ", dimensions)
    try:
        return len([float(field) for field in fields[1:]]) == dimensions
    except ValueError:
        return False


def _from_text(path: Path, lines: Iterable[bytes], dimensions: int, line: int) -> tuple[list[str], Vectors]:
    words, vectors = [], []
    for number, text in enumerate(lines, line):
        if not text.strip():
            continue
        # from the right: GloVe's largest vocabulary has words with spaces in them
        word, *numbers = text.decode("utf-8", "replace").rstrip().rsplit(" ", dimensions)
        try:
            vector = np.array(numbers, dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        if len(vector) != dimensions or not dimensions:
            raise RostrumError(f"{path}: line {number} is not a word and {dimensions} numbers; not a vector file?")
        if not word.startswith("/c/") or word.startswith(_ENGLISH):
            words.append(word.removeprefix(_ENGLISH))
            vectors.append(vector)
    if not words:
        raise RostrumError(f"{path}: no word vectors in it")
    return words, np.stack(vectors)


def _from_binary(path: Path, file: IO[bytes], count: int, dimensions: int) -> tuple[list[str], Vectors]:
    if 4 * count * dimensions > path.stat().st_size * _GZIP_RATIO:
        raise RostrumError(f"{path}: too small for the {count} words of {dimensions} numbers it promises")
    words, table = [], np.empty((count, dimensions), dtype=np.float32)
    for row in range(count):
        # the original tool ends each vector with a line break, others do not
        word = b"".join(_until_space(file)).lstrip(b"\n")
        content = file.read(4 * dimensions)
        if len(content) < 4 * dimensions:
            raise RostrumError(f"{path}: ends after {row} of {count} words; the file is cut short or no vector file")
        words.append(word.decode("utf-8", "replace"))
        table[row] = np.frombuffer(content, dtype="<f4")
    return words, table


def _until_space(file: IO[bytes]) -> Iterator[bytes]:
    while (character := file.read(1)) not in (b" ", b""):
        yield character


def _read_packaged(folder: Path) -> tuple[list[str], Vectors]:
    """The packaged GloVe: a table, and a parquet file that says which row a word has."""
    import pyarrow.parquet

    try:
        index = pyarrow.parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
        return index, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, KeyError) as error:
        raise RostrumError(f"{folder}: not the packaged GloVe; give a file of word vectors") from error
