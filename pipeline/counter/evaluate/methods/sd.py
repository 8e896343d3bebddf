"""SD: simultaneous similarity and dissimilarity of sentences (Wachsmuth et al. 2018), by words and word embeddings."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Indices, Matrix, Vector
from pipeline.counter.evaluate.debates import questions
from pipeline.counter.evaluate.fitting import Taught
from pipeline.counter.evaluate.learning import tuned
from pipeline.counter.method import CounterMethod
from pipeline.counter.methods.sd_e import SimilarityDissimilarity, SpeechSimilarity
from pipeline.counter.texts import SpeechText, Vocabulary, normalised
from pipeline.counter.word_movers import Aggregation, aggregated_by


class WordSimilarity:
    """w: 1 / (1 + the Manhattan distance of two sentences' normalised term vectors)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._rows: dict[SpeechText, tuple[Indices, Matrix]] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        (our_terms, ours), (their_terms, theirs) = self._sentences(one), self._sentences(other)
        if not len(ours) or not len(theirs):
            return np.zeros(len(wanted))
        _, mine, yours = np.intersect1d(our_terms, their_terms, assume_unique=True, return_indices=True)
        # |a - b| summed is 2 - 2 * the sum of the smaller ones, as both sum to 1
        overlap = np.minimum(ours[:, None, mine], theirs[None, :, yours]).sum(axis=2)
        return aggregated_by(1 / (3 - 2 * overlap), wanted)

    def _sentences(self, speech: SpeechText) -> tuple[Indices, Matrix]:
        """The speech's terms, and the sentences that have any as distributions over them."""
        if speech not in self._rows:
            rows = normalised(self.vocabulary.sentence_counts(speech)).tocsr()
            terms = np.unique(rows.indices)
            dense = rows[:, terms].toarray()
            self._rows[speech] = terms, dense[dense.any(axis=1)]
        return self._rows[speech]


def _build(taught: Taught) -> SimilarityDissimilarity | None:
    if taught.movers is None:
        return None
    parts: list[SpeechSimilarity] = [taught.movers, WordSimilarity(taught.vocabularies.all_words)]
    return SimilarityDissimilarity(parts, tuned(parts, questions(taught.validation)))


METHOD = CounterMethod(
    "SD",
    "similar by words and word vectors",
    place=60,
    build=_build,
    needs="needs word vectors: --vectors",
)
