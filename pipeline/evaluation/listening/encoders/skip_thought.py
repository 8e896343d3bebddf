"""Skip-thought vectors (Kiros et al. 2015): a GRU that reads a sentence, trained to predict the neighbouring ones.

A folder holds a model as its authors publish it: `uni_skip.npz` with the GRU's weights, `utable.npy` with the words'
vectors and `dictionary.txt` with the words; and, if there, a GRU for each direction (`bi_skip.npz`, `btable.npy`),
whose vectors are put beside the first one's.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.text.encoders.sentence_encoder import Encoder, SentenceEncoder

UNKNOWN = "UNK"

_BATCH = 64
_MAX_WORDS = 200
_REMEDY = "give a folder with uni_skip.npz, utable.npy and dictionary.txt, or make one: rostrum train skip-thought"


def load_skip_thought(folder: Path) -> Encoder:
    """The model in a folder, published or trained here, as an encoder of sentences."""
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
        self._readers = [_Reader(folder / "utable.npy", _gru(folder / "uni_skip.npz", "encoder"))]
        if (folder / "bi_skip.npz").is_file():
            forwards, backwards = (_gru(folder / "bi_skip.npz", prefix) for prefix in ("encoder", "encoder_r"))
            self._readers.append(_Reader(folder / "btable.npy", forwards, backwards))

    def encode(self, texts: Sequence[str]) -> Floats32:
        """Unit vectors, one row per text; each model's own part is a unit vector before."""
        rows = [self.rows(text) for text in texts]
        parts = [reader.read(rows) for reader in self._readers]
        return _unit(np.concatenate([_unit(part) for part in parts], axis=1))

    def rows(self, text: str) -> list[int]:
        """The table's rows of a text's words: as written, else in lower case, else the row of unknown words."""
        unknown = self._rows[UNKNOWN]
        found = [self._rows.get(word, self._rows.get(word.lower(), unknown)) for word in words_of(text)]
        return found[:_MAX_WORDS] or [unknown]


class _Reader:
    """A table of word vectors and the GRU that reads them, forwards or in both directions."""

    def __init__(self, table: Path, forwards: Any, backwards: Any = None) -> None:
        # the published tables have a million words: only those that are read come into memory
        self._table = np.load(table, mmap_mode="r", allow_pickle=False)
        self._forwards = forwards
        self._backwards = backwards

    def read(self, sentences: Sequence[Sequence[int]]) -> Floats32:
        batches = [self._read(sentences[start : start + _BATCH]) for start in range(0, len(sentences), _BATCH)]
        return np.concatenate(batches)

    def _read(self, sentences: Sequence[Sequence[int]]) -> Floats32:
        states = [self._last_states(self._forwards, sentences)]
        if self._backwards is not None:
            states.append(self._last_states(self._backwards, [sentence[::-1] for sentence in sentences]))
        return np.concatenate(states, axis=1)

    def _last_states(self, gru: Any, sentences: Sequence[Sequence[int]]) -> Floats32:
        import torch
        from torch.nn.utils.rnn import pack_sequence

        inputs = [torch.tensor(np.asarray(self._table[list(sentence)], np.float32)) for sentence in sentences]
        with torch.inference_mode():
            _, last = gru(pack_sequence(inputs, enforce_sorted=False))
        return np.asarray(last[0].numpy())


def words_of(text: str) -> list[str]:
    """The words and punctuation of a text, as the published tables have them: don't is do and n't."""
    from nltk.tokenize import TreebankWordTokenizer

    return list(TreebankWordTokenizer().tokenize(text))


def _gru(path: Path, prefix: str) -> Any:
    """A published GRU as torch's: equal equations, where the candidate's hidden bias is zero."""
    import torch

    with np.load(path, allow_pickle=False) as arrays:
        weights = {name: _array(path, arrays, f"{prefix}_{name}") for name in ("W", "b", "U", "Wx", "bx", "Ux")}
    inputs, size = weights["Wx"].shape
    gru = torch.nn.GRU(inputs, size)
    gru.load_state_dict(
        {
            "weight_ih_l0": torch.tensor(np.hstack([weights["W"], weights["Wx"]]).T.copy()),
            "weight_hh_l0": torch.tensor(np.hstack([weights["U"], weights["Ux"]]).T.copy()),
            "bias_ih_l0": torch.tensor(np.concatenate([weights["b"], weights["bx"]])),
            "bias_hh_l0": torch.zeros(3 * size),
        }
    )
    return gru.eval()


def published_layout(gru: Any) -> dict[str, Floats32]:
    """The arrays of the published layout, from a torch GRU whose hidden biases are zero."""
    arrays = {name: value.detach().numpy() for name, value in gru.state_dict().items()}
    size = arrays["weight_hh_l0"].shape[1]
    inputs, hidden, bias = arrays["weight_ih_l0"].T, arrays["weight_hh_l0"].T, arrays["bias_ih_l0"]
    return {
        "encoder_W": inputs[:, : 2 * size],
        "encoder_b": bias[: 2 * size],
        "encoder_U": hidden[:, : 2 * size],
        "encoder_Wx": inputs[:, 2 * size :],
        "encoder_bx": bias[2 * size :],
        "encoder_Ux": hidden[:, 2 * size :],
    }


def _array(path: Path, arrays: Mapping[str, Floats32], name: str) -> Floats32:
    try:
        return np.asarray(arrays[name], dtype=np.float32)
    except (KeyError, ValueError) as error:  # not there, or an object that only pickle could read
        raise RostrumError(f"{path}: has no array of numbers {name}; {_REMEDY}") from error


def _unit(vectors: Floats32) -> Floats32:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
