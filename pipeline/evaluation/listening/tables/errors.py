"""How often a detector is wrong, by the share of people who heard the argument in the speech."""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.arrays import Mask
from pipeline.evaluation.listening.data import Pair
from pipeline.evaluation.result import Row

_STEPS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def error_rows(method: str, transcript: str, pairs: Sequence[Pair], right: Mask) -> Iterator[Row]:
    """One row per step of the share; a pair without votes is in none."""
    voted = [(pair.share, is_right) for pair, is_right in zip(pairs, right, strict=True) if pair.share is not None]
    if not voted:
        return
    shares, decided = np.array(voted).T
    steps = np.digitize(shares, _STEPS[1:-1])
    for step in np.unique(steps):
        of_step = decided[steps == step]
        yield {
            "method": method,
            "config": "errors",
            "transcript": transcript,
            "heard_from": _STEPS[step],
            "heard_to": _STEPS[step + 1],
            "wrong": 1 - float(of_step.mean()),
            "pairs": len(of_step),
        }
