"""The terms of speeches as rows of sparse matrices."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Indices, Vector

# The number of possible stems of an open vocabulary: mutual information also counts the terms that two speeches do
# not have.
OPEN_SIZE = 10_000


class Vocabulary:
    """Stemmed words and their columns. An open vocabulary takes in every term of the speeches it is asked about."""

    def __init__(self, terms: Iterable[str] | None = None, *, without_stop_words: bool = False) -> None:
        self.is_open = terms is None
        self.without_stop_words = without_stop_words
        self._columns = {term: column for column, term in enumerate(terms or ())}
        self._rows: dict[SpeechText, tuple[Indices, Vector]] = {}

    @classmethod
    def of_pairs(
        cls,
        pairs: Sequence[tuple[SpeechText, SpeechText]],
        *,
        min_share: float = 0.01,
        without_stop_words: bool = False,
    ) -> "Vocabulary":
        """The terms that appear in at least `min_share` of the pairs of a supporting speech and its answer."""
        found: Counter[str] = Counter()
        for pair in pairs:
            found.update({stem for speech in pair for stem in _stems(speech, without_stop_words)})
        terms = sorted(term for term, count in found.items() if count >= min_share * len(pairs))
        return cls(terms, without_stop_words=without_stop_words)

    def __len__(self) -> int:
        return len(self._columns)

    def counts(self, speeches: Sequence[SpeechText]) -> Any:
        """How often each speech has each term: a sparse matrix with one row per speech."""
        rows = [self._row(speech) for speech in speeches]
        starts = np.cumsum([0, *(len(columns) for columns, _ in rows)])
        columns = np.concatenate([np.zeros(0, dtype=np.intp), *(columns for columns, _ in rows)])
        values = np.concatenate([np.zeros(0), *(values for _, values in rows)])
        matrix = sparse.csr_array((values, columns, starts), shape=(len(speeches), len(self._columns)))
        if self.is_open:
            matrix = matrix[:, np.unique(columns)]
            matrix.resize((len(speeches), max(OPEN_SIZE, matrix.shape[1])))
        return matrix

    def sentence_counts(self, speech: SpeechText) -> Any:
        """How often each sentence of a speech has each term; its columns are those of the whole vocabulary."""
        sentences = speech.content_stems if self.without_stop_words else speech.stems
        known = [[self._column(stem) for stem in sentence] for sentence in sentences]
        places = [(row, column) for row, found in enumerate(known) for column in found if column is not None]
        index = np.array(places, dtype=np.intp).reshape(-1, 2).T
        return sparse.coo_array((np.ones(len(places)), tuple(index)), (len(sentences), len(self._columns))).tocsr()

    def _row(self, speech: SpeechText) -> tuple[Indices, Vector]:
        if speech not in self._rows:
            counts = Counter(_stems(speech, self.without_stop_words))
            found = sorted((c, n) for term, n in counts.items() if (c := self._column(term)) is not None)
            columns, values = zip(*found, strict=True) if found else ((), ())
            self._rows[speech] = np.array(columns, dtype=np.intp), np.array(values, dtype=np.float64)
        return self._rows[speech]

    def _column(self, term: str) -> int | None:
        if self.is_open:
            return self._columns.setdefault(term, len(self._columns))
        return self._columns.get(term)


@dataclass(frozen=True)
class Vocabularies:
    """The terms of the paper's methods: with stop words, and for mutual information without."""

    all_words: Vocabulary
    content_words: Vocabulary

    @classmethod
    def open(cls) -> "Vocabularies":
        """Every term of the given speeches, if nothing was trained."""
        return cls(Vocabulary(), Vocabulary(without_stop_words=True))

    @classmethod
    def of_pairs(cls, pairs: Sequence[tuple[SpeechText, SpeechText]]) -> "Vocabularies":
        """The terms that appear in at least 1 % of the training pairs."""
        return cls(Vocabulary.of_pairs(pairs), Vocabulary.of_pairs(pairs, without_stop_words=True))


def normalised(counts: Any) -> Any:
    """Each row divided by its total, so that it is a distribution. An empty row stays empty."""
    totals = np.asarray(counts.sum(axis=1)).ravel()
    return sparse.diags_array(np.divide(1.0, totals, out=np.zeros(len(totals)), where=totals > 0)) @ counts


def presence(counts: Any) -> Any:
    """1 where there is a count."""
    found = counts.copy()
    found.data = np.ones_like(found.data)
    return found


def _stems(speech: SpeechText, without_stop_words: bool) -> Iterable[str]:
    sentences = speech.content_stems if without_stop_words else speech.stems
    return (stem for sentence in sentences for stem in sentence)
