"""Cross-encoders, which read two texts together: how probably one follows from the other, or contradicts it."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from pipeline.arrays import Floats, Matrix
from pipeline.errors import RostrumError
from pipeline.text.encoders.sentence_encoder import refuse_other_code

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

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """For each (text, other) how probably the other follows or contradicts, or a reranker's score from 0 to 1."""
        if not pairs:
            return np.zeros(0)
        different = list(dict.fromkeys(pairs))
        known = dict(zip(different, self._read(different).tolist(), strict=True))
        return np.array([known[pair] for pair in pairs])

    def _read(self, pairs: list[tuple[str, str]]) -> Floats:
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
    from pipeline.system.environment import import_torchaudio

    weights = models.find(name)
    refuse_other_code(weights.path)
    import_torchaudio()
    import sentence_transformers

    try:
        model = sentence_transformers.CrossEncoder(str(weights.path), device="cpu", trust_remote_code=False)
    except MemoryError:
        raise
    except Exception as error:  # a damaged file can raise errors of many kinds
        raise RostrumError(f"{name}: not a classifier: {str(error).partition(chr(10))[0]}") from error
    return CrossEncoder(name, weights.digest, model, relation)


def _output(name: str, names: Mapping[int, str], relation: Relation) -> int | None:
    """The output that says the relation; None for a reranker, which has one output."""
    if len(names) == 1 and relation == "entailment":
        return None
    number = class_named(names, _CLASS[relation])
    if number is None:
        known = ", ".join(map(str, names.values()))
        raise RostrumError(f"{name}: none of its outputs ({known}) says {relation}; give another model")
    return number


def class_named(names: Mapping[Any, Any], wanted: str) -> int | None:
    """The number of the class whose name begins so, whatever its case; None where there is none.

    >>> class_named({0: "ENTAILMENT", 1: "Contradictory"}, "contradict")
    1
    """
    return next((int(number) for number, name in names.items() if str(name).lower().startswith(wanted)), None)


def probabilities(outputs: Any, classes: int, model: str) -> Matrix:
    """One row per pair of texts, one column per class, whether a model gives probabilities or logits.

    >>> probabilities([[0.2, 0.8]], 2, "m").tolist()
    [[0.2, 0.8]]
    >>> probabilities([[0.0, 0.0]], 2, "m").tolist()
    [[0.5, 0.5]]
    """
    values = np.asarray(outputs, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != classes or classes < 2:
        each = values.shape[1] if values.ndim == 2 else "no rows of"
        raise RostrumError(
            f"{model}: gives {each} values for a pair of texts, and names {classes} classes; give another model"
        )
    if (values >= 0).all() and np.allclose(values.sum(axis=1), 1, atol=1e-4):
        return values
    from scipy.special import softmax

    return np.asarray(softmax(values, axis=1))


def tokenised_pairs(tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """The model's inputs. What is too long for it is cut off the longer text of a pair."""
    return tokenizer(
        [one for one, _ in pairs],
        [other for _, other in pairs],
        padding=True,
        truncation=True,
        max_length=min(tokenizer.model_max_length, 512),
        return_tensors="pt",
    )
