"""The classes of a model that reads two texts: which class is which, and how probable each is."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pipeline.arrays import Matrix
from pipeline.errors import RostrumError


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


def listed(names: Iterable[Any]) -> str:
    """Class names for an error."""
    return ", ".join(map(str, names))
