"""One result type for every published table that we reproduce."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

Value = float | int | str | None
Row = dict[str, Value]


class Evaluation(BaseModel):
    """A table of methods and their figures, with what is needed to get the same figures again.

    Metrics are fractions under the field's own names (`wer`, `accuracy`, `f1`, ...); an interval is `<metric>_low` and
    `<metric>_high`. A figure that is not defined is None, and the row's `note` says why.
    """

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    name: str
    signature: dict[str, Any]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()


def signature(*packages: str, **facts: Any) -> dict[str, Any]:
    """Package versions and whatever else decides the figures (seed, normaliser, model digests, data, split)."""
    return {"rostrum": version("rostrum"), **{name: version(name) for name in packages}, **facts}


def bootstrap_interval(
    groups: Sequence[Any],
    statistic: Callable[[Sequence[Any]], float],
    *,
    samples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[float, float] | tuple[None, None]:
    """Percentile interval of `statistic` over resampled groups (speeches, motions, topics); None for fewer than two."""
    if len(groups) < 2:
        return None, None
    random = np.random.default_rng(seed)
    draws = random.integers(0, len(groups), size=(samples, len(groups)))
    values = [statistic([groups[i] for i in draw]) for draw in draws]
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
