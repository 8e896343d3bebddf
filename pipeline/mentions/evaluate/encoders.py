"""Encoders that only the published table uses: word means and skip-thought."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.text.encoders.sentence_encoder import Encoder, SentenceEncoder
from pipeline.text.encoders.word_vectors import WordVectors
from pipeline.text.terms import stop_words, tokens

# Skip-thought vectors (Kiros et al. 2015): a GRU that reads a sentence, trained to predict the neighbouring ones.
#
# A folder holds a model as its authors publish it: `uni_skip.npz` with the GRU's weights, `utable.npy` with the words'
# vectors and `dictionary.txt` with the words; and, if there, a GRU for each direction (`bi_skip.npz`, `btable.npy`),
# whose vectors are put beside the first one's.

UNKNOWN = "UNK"

_BATCH = 64
_MAX_WORDS = 200
# What the authors call the weights and the bias of the input and the weights of the state: of both gates, then of the
# candidate.
_PUBLISHED = ("W", "b", "U", "Wx", "bx", "Ux")
_REMEDY = "give a folder with uni_skip.npz, utable.npy and dictionary.txt, as its authors publish them"


def load_skip_thought(folder: Path) -> Encoder:
    """The published model of a folder, as an encoder of sentences."""
    from pipeline import models

    missing = [name for name in ("uni_skip.npz", "utable.npy", "dictionary.txt") if not (folder / name).is_file()]
    if missing:
        raise RostrumError(f"{folder}: no {missing[0]}, so no skip-thought model; {_REMEDY}")
    return SentenceEncoder("skip-thought", models.find(folder).digest, SkipThought(folder).encode)


class SkipThought:
    """Reads sentences word by word; its last state is the sentence's vector."""

    def __init__(self, folder: Path) -> None:
        words = (folder / "dictionary.txt").read_text(encoding="utf-8").split("\n")
        self._rows = {word.strip(): row for row, word in enumerate(words) if word.strip()}
        if UNKNOWN not in self._rows:
            raise RostrumError(f"{folder / 'dictionary.txt'}: has no {UNKNOWN}, the word for all that are not in it")
        self._models = [_Model(folder / "utable.npy", folder / "uni_skip.npz", "encoder")]
        if (folder / "bi_skip.npz").is_file():
            self._models.append(_Model(folder / "btable.npy", folder / "bi_skip.npz", "encoder", "encoder_r"))

    def encode(self, texts: Sequence[str]) -> Floats32:
        """Unit vectors, one row per text; each model's own part is a unit vector before."""
        rows = [self.rows(text) for text in texts]
        return _unit(np.concatenate([_unit(model.last_states(rows)) for model in self._models], axis=1))

    def rows(self, text: str) -> list[int]:
        """The table's rows of a text's words: as written, else in lower case, else the row of unknown words."""
        unknown = self._rows[UNKNOWN]
        rows = [self._rows.get(word, self._rows.get(word.lower(), unknown)) for word in words_of(text)]
        return rows[:_MAX_WORDS] or [unknown]


class _Model:
    """A table of word vectors and the GRU that reads them, forwards or in both directions."""

    def __init__(self, table: Path, weights: Path, *directions: str) -> None:
        # the published tables have a million words: only those that are read come into memory
        self._table = np.load(table, mmap_mode="r", allow_pickle=False)
        self._gru = _gru(weights, directions)

    def last_states(self, sentences: Sequence[Sequence[int]]) -> Floats32:
        batches = [sentences[start : start + _BATCH] for start in range(0, len(sentences), _BATCH)]
        return np.concatenate([self._last_states(batch) for batch in batches])

    def _last_states(self, sentences: Sequence[Sequence[int]]) -> Floats32:
        import torch
        from torch.nn.utils.rnn import pack_sequence

        inputs = [torch.tensor(np.asarray(self._table[list(sentence)], np.float32)) for sentence in sentences]
        with torch.inference_mode():
            _, last = self._gru(pack_sequence(inputs, enforce_sorted=False))
        return np.concatenate(list(last.numpy()), axis=1)


def words_of(text: str) -> list[str]:
    """The words and punctuation of a text, as the published tables have them: don't is do and n't."""
    from nltk.tokenize import TreebankWordTokenizer

    return list(TreebankWordTokenizer().tokenize(text))


def _gru(path: Path, directions: Sequence[str]) -> Any:
    """A published GRU as torch's: equal equations, where the candidate's hidden bias is zero."""
    import torch

    state: dict[str, Any] = {}
    with np.load(path, allow_pickle=False) as arrays:
        for direction, suffix in zip(directions, ("l0", "l0_reverse"), strict=False):
            w, b, u, wx, bx, ux = (_array(path, arrays, f"{direction}_{name}") for name in _PUBLISHED)
            state[f"weight_ih_{suffix}"] = torch.tensor(np.hstack([w, wx]).T)
            state[f"weight_hh_{suffix}"] = torch.tensor(np.hstack([u, ux]).T)
            state[f"bias_ih_{suffix}"] = torch.tensor(np.concatenate([b, bx]))
            state[f"bias_hh_{suffix}"] = torch.zeros(3 * len(bx))
    inputs, size = wx.shape
    gru = torch.nn.GRU(inputs, size, bidirectional=len(directions) == 2)
    gru.load_state_dict(state)
    return gru.eval()


def _array(path: Path, arrays: Mapping[str, Floats32], name: str) -> Floats32:
    try:
        return np.asarray(arrays[name], dtype=np.float32)
    except (KeyError, ValueError) as error:  # not there, or an object that only pickle could read
        raise RostrumError(f"{path}: has no array of numbers {name}; {_REMEDY}") from error


def _unit(vectors: Floats32) -> Floats32:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


# A text as the tf-idf weighted mean of its words' vectors: the 'w2v' method of Mirkin et al. 2018.


def inverse_document_frequencies(documents: Iterable[str]) -> dict[str, float]:
    """log(documents / documents with the word) of every word."""
    types = [dict.fromkeys(tokens(document)) for document in documents]
    counts = Counter(word for words in types for word in words)
    return {word: math.log(len(types) / count) for word, count in counts.items()}


class WordMeanEncoder:
    """Unit vectors of texts from word vectors, stop words left out; a text without a known word is all zeros.

    A word that `idf` does not know counts as the average word: what is not in the training speeches is not rare.
    """

    def __init__(self, vectors: WordVectors, idf: Mapping[str, float]) -> None:
        self.name = f"w2v {vectors.name}"
        weights = ",".join(f"{word}={weight:.6f}" for word, weight in sorted(idf.items()))
        self.digest = hashlib.sha256(f"{vectors.digest} {weights}".encode()).hexdigest()
        self.dimensions = vectors.dimensions
        self._vectors = vectors
        self._idf = idf
        self._average = sum(idf.values()) / len(idf) if idf else 1.0

    def encode(self, texts: Sequence[str]) -> Floats32:
        """Unit vectors, one row per text."""
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)

    def _vector(self, text: str) -> Floats32:
        words, matrix = self._vectors.matrix(word for word in tokens(text) if word not in stop_words())
        weights = np.array([self._idf.get(word, self._average) for word in words], dtype=np.float32)
        mean = weights @ matrix
        length = float(np.linalg.norm(mean))
        return mean / length if length else np.zeros(self.dimensions, np.float32)


def as_one_text(encoder: Encoder, sentences: Sequence[str]) -> Floats32:
    """Several sentences as one unit vector: the mean of all their words."""
    return encoder.encode([" ".join(sentences)]).ravel()
