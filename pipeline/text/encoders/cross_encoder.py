"""Cross-encoders, which read two texts together: how probably one follows from the other, or contradicts it."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from pipeline.arrays import Probabilities
from pipeline.errors import RostrumError
from pipeline.text.encoders.classes import class_named, listed, probabilities

Relation = Literal["entailment", "contradiction"]
# How the name of its class begins.
_CLASS = {"entailment": "entail", "contradiction": "contradict"}


class CrossEncoder:
    """A model of natural language inference, which is asked for one relation; or a reranker."""

    def __init__(self, name: str, digest: str, model: Any, relation: Relation = "entailment") -> None:
        self.name = name
        self.digest = digest
        self._model = model
        labels = model.model.config.label2id
        self._names = {labels[label]: label for label in sorted(labels, key=labels.__getitem__)}
        self._output = _output(name, self._names, relation)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Probabilities:
        """For each (text, other) how probably the other follows or contradicts, or a reranker's score from 0 to 1."""
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
        if self._output is None:
            return np.asarray(1 / (1 + np.exp(-logits.reshape(len(pairs)))))
        return np.asarray(probabilities(logits, len(self._names), self.name)[:, self._output])


@functools.cache
def load_cross_encoder(name: str, relation: Relation = "entailment") -> CrossEncoder:
    """A cross-encoder of the sentence-transformers layout, by path or by hub name that is in the local cache."""
    from pipeline import models
    from pipeline.system.torchaudio import import_torchaudio

    found = models.find(name)
    import_torchaudio()
    import sentence_transformers

    try:
        model = sentence_transformers.CrossEncoder(str(found.path), device="cpu")
    except (OSError, ValueError) as error:
        raise RostrumError(f"{name}: not a classifier: {str(error).splitlines()[0]}") from error
    return CrossEncoder(name, found.digest, model, relation)


def _output(name: str, names: Mapping[int, str], relation: Relation) -> int | None:
    """The output that says the relation; None for a reranker, which has one output."""
    if len(names) == 1 and relation == "entailment":
        return None
    found = class_named(names, _CLASS[relation])
    if found is None:
        raise RostrumError(
            f"{name}: none of its outputs ({listed(names.values())}) says {relation}; give another model"
        )
    return found
