"""Cross-encoders, which read a passage and an argument together: how probably the argument follows from the passage."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.arrays import Probabilities
from pipeline.errors import RostrumError
from pipeline.text.encoders.classes import class_named, listed, probabilities


class CrossEncoder:
    """A model of natural language inference, or a reranker."""

    def __init__(self, name: str, digest: str, model: Any) -> None:
        self.name = name
        self.digest = digest
        self._model = model
        self._entailment = _entailment(name, model)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """For each (passage, argument) the probability that the argument follows, or a reranker's score from 0 to 1."""
        if not pairs:
            return np.zeros(0)
        different = list(dict.fromkeys(pairs))
        known = dict(zip(different, self._read(different).tolist(), strict=True))
        return np.array([known[pair] for pair in pairs])

    def _read(self, pairs: list[tuple[str, str]]) -> Probabilities:
        import torch

        logits = self._model.predict(
            pairs, batch_size=16, show_progress_bar=False, activation_fn=torch.nn.Identity(), convert_to_numpy=True
        )
        logits = np.asarray(logits, dtype=np.float64)
        if self._entailment is None:
            return np.asarray(1 / (1 + np.exp(-logits.reshape(len(pairs)))))
        return np.asarray(probabilities(logits, logits.shape[1], self.name)[:, self._entailment])


@functools.cache
def load_cross_encoder(name: str) -> CrossEncoder:
    """A cross-encoder of the sentence-transformers layout, by path or by hub name that is in the local cache."""
    from pipeline import models
    from pipeline.system.torchaudio import import_torchaudio

    found = models.find(name)
    import_torchaudio()
    import sentence_transformers

    return CrossEncoder(name, found.digest, sentence_transformers.CrossEncoder(str(found.path), device="cpu"))


def _entailment(name: str, model: Any) -> int | None:
    """The output for 'the argument follows'; None for a reranker, which has one output."""
    names = {index: label for label, index in model.model.config.label2id.items()}
    found = class_named(names, "entail")
    if found is None and len(names) > 1:
        raise RostrumError(
            f"{name}: none of its outputs ({listed(names.values())}) says entailment; give another model"
        )
    return found if len(names) > 1 else None
