"""One speech as the methods read it: its words and stems, terms, and word sequences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
import scipy

from pipeline.arrays import Indices, Mask, Vector
from pipeline.text.terms import stem, stems, stop_words, tokens


@dataclass(frozen=True, eq=False)
class SpeechText:
    """The sentences of one speech. Its stems are computed once."""

    id: str
    sentences: tuple[str, ...]
    speakers: tuple[str, ...] = ()

    @cached_property
    def words(self) -> list[list[str]]:
        """Words in lower case, sentence by sentence."""
        return [tokens(sentence) for sentence in self.sentences]

    @cached_property
    def stems(self) -> list[list[str]]:
        """Stemmed words, sentence by sentence."""
        return [stems(sentence) for sentence in self.sentences]

    @cached_property
    def content_words(self) -> list[list[str]]:
        """Words that are not stop words, sentence by sentence."""
        return [[word for word in words if word not in stop_words()] for words in self.words]

    @cached_property
    def content_stems(self) -> list[list[str]]:
        """The same, stemmed."""
        return [[stem(word) for word in words] for words in self.content_words]

    @cached_property
    def content_ngrams(self) -> "dict[Ngram, tuple[int, int]]":
        """For each n-gram of the content words' stems its first place: the sentence, and the word in it."""
        places: dict[Ngram, tuple[int, int]] = {}
        for number, stems_of in enumerate(self.content_stems):
            for start, ngram in _within(stems_of, LENGTHS):
                places.setdefault(ngram, (number, start))
        return places

    @cached_property
    def terms(self) -> frozenset[str]:
        """Stemmed words that are not stop words, each once."""
        return frozenset(stem for sentence in self.content_stems for stem in sentence)

    @cached_property
    def word_runs(self) -> list[list[str]]:
        """Words that stand together, with no stop word and no end of a sentence between them."""
        return [run for sentence in self.words for run in _runs(sentence)]

    @cached_property
    def content_runs(self) -> list[list[str]]:
        """The same, stemmed."""
        return [[stem(word) for word in run] for run in self.word_runs]


def _runs(words: Sequence[str]) -> Iterator[list[str]]:
    for is_stop_word, run in groupby(words, key=lambda word: word in stop_words()):
        if not is_stop_word:
            yield list(run)


def ranks(ids: Sequence[str], *scores: Vector) -> list[int]:
    """The rank of each speech, 1 for the best. Equal scores are ranked by the next scores, in the end by the ids.

    >>> import numpy as np
    >>> ranks(["b", "a", "c"], np.array([0.5, 0.5, 0.9]))
    [3, 2, 1]
    """
    order = sorted(range(len(ids)), key=lambda index: (*(-values[index] for values in scores), ids[index]))
    rank_of = {index: rank for rank, index in enumerate(order, start=1)}
    return [rank_of[index] for index in range(len(ids))]


def allowed_pairs(supporting: Sequence[SpeechText], opposing: Sequence[SpeechText]) -> Mask:
    """Every pair but those with a speaker in common: nobody answers their own speech."""
    ours, theirs = (
        [{name.casefold() for name in speech.speakers} for speech in side] for side in (supporting, opposing)
    )
    pairs = [[one.isdisjoint(other) for other in theirs] for one in ours]
    return np.array(pairs, dtype=np.bool_).reshape(len(supporting), len(opposing))


# The terms of speeches as rows of sparse matrices.

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
        pairs_with: Counter[str] = Counter()
        for pair in pairs:
            pairs_with.update({stem for speech in pair for stem in _stems(speech, without_stop_words)})
        terms = sorted(term for term, count in pairs_with.items() if count >= min_share * len(pairs))
        return cls(terms, without_stop_words=without_stop_words)

    def __len__(self) -> int:
        return len(self._columns)

    def counts(self, speeches: Sequence[SpeechText]) -> Any:
        """How often each speech has each term: a sparse matrix with one row per speech."""
        rows = [self._row(speech) for speech in speeches]
        starts = np.cumsum([0, *(len(columns) for columns, _ in rows)])
        columns = np.concatenate([np.zeros(0, dtype=np.intp), *(columns for columns, _ in rows)])
        values = np.concatenate([np.zeros(0), *(values for _, values in rows)])
        matrix = scipy.sparse.csr_array((values, columns, starts), shape=(len(speeches), len(self._columns)))
        if self.is_open:
            matrix = matrix[:, np.unique(columns)]
            matrix.resize((len(speeches), max(OPEN_SIZE, matrix.shape[1])))
        return matrix

    def sentence_counts(self, speech: SpeechText) -> Any:
        """How often each sentence of a speech has each term; its columns are those of the whole vocabulary."""
        sentences = speech.content_stems if self.without_stop_words else speech.stems
        known = [[self._column(stem) for stem in sentence] for sentence in sentences]
        cells = [(row, column) for row, columns in enumerate(known) for column in columns if column is not None]
        index = np.array(cells, dtype=np.intp).reshape(-1, 2).T
        return scipy.sparse.coo_array((np.ones(len(cells)), tuple(index)), (len(sentences), len(self._columns))).tocsr()

    def _row(self, speech: SpeechText) -> tuple[Indices, Vector]:
        if speech not in self._rows:
            counts = Counter(_stems(speech, self.without_stop_words))
            cells = sorted((c, n) for term, n in counts.items() if (c := self._column(term)) is not None)
            columns, values = zip(*cells, strict=True) if cells else ((), ())
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
    return scipy.sparse.diags_array(np.divide(1.0, totals, out=np.zeros(len(totals)), where=totals > 0)) @ counts


def presence(counts: Any) -> Any:
    """1 where there is a count."""
    indicators = counts.copy()
    indicators.data = np.ones_like(indicators.data)
    return indicators


def _stems(speech: SpeechText, without_stop_words: bool) -> Iterable[str]:
    sentences = speech.content_stems if without_stop_words else speech.stems
    return (stem for sentence in sentences for stem in sentence)


# Word sequences that a supporting speech shares with one candidate and with no other.

Ngram = tuple[str, ...]
LENGTHS = range(2, 5)


def lone_ngrams(
    ours: Iterable[Sequence[str]],
    candidates: Sequence[Iterable[Sequence[str]]],
    lengths: range = LENGTHS,
    *,
    longest_of_a_speech: bool = False,
) -> list[set[Ngram]]:
    """For each candidate the n-grams that it alone shares with us, none contained in a longer one.

    A speech is given as runs of words; an n-gram lies within one run. With `longest_of_a_speech`, what a longer n-gram
    of the same speech contains is left out before the speeches are compared, as published.

    >>> lone_ngrams([["a", "b", "c"]], [[["a", "b", "c"]], [["b", "c"]]])
    [{('a', 'b', 'c')}, set()]
    >>> lone_ngrams([["a", "b", "c"]], [[["b", "c"]]]), lone_ngrams([["a", "b", "c"]], [[["b", "c"]]],
    ...     longest_of_a_speech=True)
    ([{('b', 'c')}], [set()])
    """
    our_ngrams, *their_ngrams = (_ngrams(speech, lengths) for speech in (ours, *candidates))
    if longest_of_a_speech:
        our_ngrams, *their_ngrams = (_longest(ngrams, lengths[0]) for ngrams in (our_ngrams, *their_ngrams))
    return _of_one_alone(our_ngrams, their_ngrams, lengths[0])


def lone_content_ngrams(ours: SpeechText, candidates: Sequence[SpeechText]) -> list[set[Ngram]]:
    """For each candidate the n-grams of content words that it alone shares with us, none contained in a longer one."""
    return _of_one_alone(ours.content_ngrams.keys(), [other.content_ngrams.keys() for other in candidates], LENGTHS[0])


def _of_one_alone(ours: Set[Ngram], theirs: Sequence[Set[Ngram]], shortest: int) -> list[set[Ngram]]:
    shared = [ours & ngrams for ngrams in theirs]
    having = Counter(ngram for ngrams in shared for ngram in ngrams)
    return [_longest({ngram for ngram in ngrams if having[ngram] == 1}, shortest) for ngrams in shared]


def _ngrams(runs: Iterable[Sequence[str]], lengths: range) -> set[Ngram]:
    return {ngram for run in runs for _, ngram in _within(run, lengths)}


def _longest(ngrams: Set[Ngram], shortest: int) -> set[Ngram]:
    return set(ngrams) - {part for ngram in ngrams for _, part in _within(ngram, range(shortest, len(ngram)))}


def _within(words: Sequence[str], lengths: Iterable[int]) -> Iterator[tuple[int, Ngram]]:
    """Each n-gram of these lengths, and where it starts."""
    for length in lengths:
        for start in range(len(words) - length + 1):
            yield start, tuple(words[start : start + length])
