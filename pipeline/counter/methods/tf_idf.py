"""tf-idf: the cosine of content words, rare ones weighing more."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText


class TfIdfCosine:
    """The cosine of tf-idf weighted content words. A term that no given speech has weighs as much as the rarest."""

    def __init__(self, speeches: Iterable[SpeechText] = ()) -> None:
        documents = [{stem for sentence in speech.content_stems for stem in sentence} for speech in speeches]
        self.documents = len(documents)
        self.document_frequency = Counter(stem for document in documents for stem in document)
        self._weights: dict[SpeechText, dict[str, float]] = {}

    def __call__(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        one = self._weighted(supporting)
        others = [self._weighted(candidate) for candidate in candidates]
        products = [sum(weight * other.get(term, 0.0) for term, weight in one.items()) for other in others]
        return np.array(products, dtype=np.float64)

    def idf(self, stem: str) -> float:
        return float(np.log((1 + self.documents) / (1 + self.document_frequency[stem])) + 1)

    def _weighted(self, speech: SpeechText) -> dict[str, float]:
        """The speech's terms as a unit vector."""
        if speech not in self._weights:
            counts = Counter(stem for sentence in speech.content_stems for stem in sentence)
            weights = {stem: (1 + float(np.log(count))) * self.idf(stem) for stem, count in sorted(counts.items())}
            length = float(np.sqrt(sum(weight**2 for weight in weights.values())))
            self._weights[speech] = {stem: weight / length for stem, weight in weights.items()}
        return self._weights[speech]


METHOD = CounterMethod(
    "tf-idf",
    "similar rare words",
    place=30,
    weight=1.0,
    assigned=True,
    build=lambda given: TfIdfCosine(given.speeches),
)
