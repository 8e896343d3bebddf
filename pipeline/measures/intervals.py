"""How sure a figure is: bootstrap intervals."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pipeline.arrays import Mask, Vector


def mean(values: Sequence[float]) -> float:
    """The mean of some figures."""
    return float(np.mean(values))


def pooled_mean(groups: Sequence[Sequence[float] | Vector | Mask]) -> float:
    """The mean of all figures of some groups."""
    return float(np.concatenate(groups).mean())


def bootstrap_interval(
    groups: Sequence[Any],
    statistic: Callable[[Sequence[Any]], float] = mean,
    *,
    samples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[float, float] | tuple[None, None]:
    """Percentile interval of `statistic` over resampled groups (speeches, motions, topics); None for fewer than two.

    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    if len(groups) < 2:
        return None, None
    random = np.random.default_rng(seed)
    draws = random.integers(0, len(groups), size=(samples, len(groups)))
    values = [statistic([groups[i] for i in draw]) for draw in draws]
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
