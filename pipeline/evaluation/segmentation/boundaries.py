"""How well sentence boundaries are found: precision, recall, F1, Pk and WindowDiff."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Mask


@dataclass(frozen=True)
class BoundaryCounts:
    """Boundaries that are in both, in the reference and in the hypothesis; counts of several speeches add up."""

    hits: int = 0
    reference: int = 0
    hypothesis: int = 0

    @classmethod
    def of(cls, reference: Mask, hypothesis: Mask) -> "BoundaryCounts":
        return cls(int((reference & hypothesis).sum()), int(reference.sum()), int(hypothesis.sum()))

    def __add__(self, other: "BoundaryCounts") -> "BoundaryCounts":
        return BoundaryCounts(
            self.hits + other.hits, self.reference + other.reference, self.hypothesis + other.hypothesis
        )

    @property
    def precision(self) -> float | None:
        return self.hits / self.hypothesis if self.hypothesis else None

    @property
    def recall(self) -> float | None:
        return self.hits / self.reference if self.reference else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; 0 where one of them is undefined and the other is not."""
        total = self.hypothesis + self.reference
        return 2 * self.hits / total if total else None


def window_errors(pairs: Sequence[tuple[Mask, Mask]]) -> tuple[float | None, float | None]:
    """(Pk, WindowDiff) of reference and hypothesis, the mean over the speeches that have a boundary and room for it.

    The window is half the mean length of the reference's segments, speech by speech, as both metrics' papers have it.
    """
    from nltk.metrics.segmentation import pk, windowdiff

    errors = []
    for reference, hypothesis in pairs:
        boundaries = int(reference.sum())
        width = round(len(reference) / (2 * boundaries)) if boundaries else 0
        if 0 < width < len(reference):
            said, found = ("".join("01"[int(flag)] for flag in flags) for flags in (reference, hypothesis))
            errors.append((pk(said, found, k=width), windowdiff(said, found, k=width)))
    if not errors:
        return None, None
    mean = np.mean(errors, axis=0)
    return float(mean[0]), float(mean[1])
