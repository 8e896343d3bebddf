"""Vectors of words: GloVe's or those of a file of the user, one per word; and those of an encoder, by the context."""

import functools
import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from pipeline.arrays import Floats32
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
    table: Floats32

    @property
    def dimensions(self) -> int:
        return int(self.table.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def matrix(self, words: Iterable[str]) -> tuple[list[str], Floats32]:
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


def read_vectors(path: Path) -> tuple[list[str], Floats32]:
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


def _from_text(path: Path, lines: Iterable[bytes], dimensions: int, line: int) -> tuple[list[str], Floats32]:
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


def _from_binary(path: Path, file: IO[bytes], count: int, dimensions: int) -> tuple[list[str], Floats32]:
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


def _read_packaged(folder: Path) -> tuple[list[str], Floats32]:
    """The packaged GloVe: a table, and a parquet file that says which row a word has."""
    import pyarrow.parquet

    try:
        index = pyarrow.parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
        return index, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, KeyError) as error:
        raise RostrumError(f"{folder}: not the packaged GloVe; give a file of word vectors") from error


# Vectors of words in their context, from a middle layer of a sentence encoder. It sees no punctuation and no case.

# Words that are looked at together: each stretch is read with so many words before and after it.
_STRETCH, _CONTEXT = 100, 40
_MARKS = re.compile(r"^\W+|\W+$")


def bare(word: str) -> str:
    """A word as an unpunctuated transcript has it: in lower case, without marks around it."""
    return _MARKS.sub("", word).lower().replace("’", "'")


@dataclass(frozen=True)
class ContextualWords:
    """A transformer up to a layer in the middle, which knows more of syntax than the last one."""

    name: str
    digest: str
    tokenizer: Any
    model: Any

    @property
    def dimensions(self) -> int:
        return int(self.model.config.hidden_size)

    def vectors(self, words: Sequence[str]) -> Floats32:
        """One vector per word; zero for a word without letters or digits."""
        texts = [bare(word) for word in words]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _STRETCH):
            first, last = max(0, start - _CONTEXT), min(len(texts), start + _STRETCH + _CONTEXT)
            for index, vector in self._of_stretch(texts[first:last]):
                if start <= first + index < start + _STRETCH:
                    rows[first + index] = vector
        return rows

    def _of_stretch(self, texts: list[str]) -> list[tuple[int, Floats32]]:
        """(index, vector) of each word: that of its last piece."""
        import torch

        pieces = self.tokenizer(texts, is_split_into_words=True, return_tensors="pt", truncation=True, max_length=512)
        with torch.inference_mode():
            states = self.model(**pieces).last_hidden_state[0].numpy()
        last_piece = {word: piece for piece, word in enumerate(pieces.word_ids()) if word is not None}
        return [(word, states[piece]) for word, piece in last_piece.items()]


@functools.cache
def load_contextual(name: str, layers: int) -> ContextualWords:
    """The first layers of a model by catalogue name or path; loaded once per process."""
    from pipeline import models
    from pipeline.system.environment import import_torchaudio

    weights = models.find(name)
    import_torchaudio()  # which transformers imports
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # for weights that load in a tenth of a second
    model = AutoModel.from_pretrained(weights.path, trust_remote_code=False).eval()
    model.encoder.layer = model.encoder.layer[:layers]
    return ContextualWords(
        weights.name, weights.digest, AutoTokenizer.from_pretrained(weights.path, trust_remote_code=False), model
    )
