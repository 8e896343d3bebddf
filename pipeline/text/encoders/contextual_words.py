"""Vectors of words in their context, from a middle layer of a sentence encoder. It sees no punctuation and no case."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline.arrays import Vectors

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

    def vectors(self, words: Sequence[str]) -> Vectors:
        """One vector per word; zero for a word without letters or digits."""
        texts = [bare(word) for word in words]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _STRETCH):
            first, last = max(0, start - _CONTEXT), min(len(texts), start + _STRETCH + _CONTEXT)
            for index, vector in self._of_stretch(texts[first:last]):
                if start <= first + index < start + _STRETCH:
                    rows[first + index] = vector
        return rows

    def _of_stretch(self, texts: list[str]) -> list[tuple[int, Vectors]]:
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
