"""Methods that compare which terms two speeches have: tf-idf, Cos, JS, MI, c-MI and mentions.

A term is a stemmed word. Most of these are the methods of Orbach et al. 2020.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText, Vocabulary, normalised, presence


class TfIdfCosine:
    """The cosine of tf-idf weighted content words. A term that no given speech has weighs as much as the rarest."""

    def __init__(self, speeches: Iterable[SpeechText] = ()) -> None:
        documents = [speech.terms for speech in speeches]
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


def cosine(vocabulary: Vocabulary, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The cosine of term frequencies."""
    matrix = normalised(vocabulary.counts([supporting, *candidates]))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    products = (matrix[1:] @ matrix[[0]].T).toarray().ravel()
    norms = lengths[0] * lengths[1:]
    return np.asarray(np.divide(products, norms, out=np.zeros(len(norms)), where=norms > 0))


def jensen_shannon(vocabulary: Vocabulary, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """1 minus the Jensen-Shannon divergence in bits of term frequencies: 1 for equal ones, 0 for disjoint ones."""
    frequencies = normalised(vocabulary.counts([supporting, *candidates]))
    columns = frequencies[[0]].indices
    one = frequencies[[0]][:, columns].toarray()
    others = frequencies[1:][:, columns].toarray()
    middle = (one + others) / 2
    # A term that only the candidate has is half its frequency in the middle: its part is its frequency, one bit.
    totals = np.asarray(frequencies[1:].sum(axis=1)).ravel()
    divergence = (_relative_entropy(one, middle) + _relative_entropy(others, middle) + totals - others.sum(axis=1)) / 2
    return np.where((totals > 0) & (len(columns) > 0), 1 - divergence, 0.0)


def _relative_entropy(values: Matrix, middle: Matrix) -> Vector:
    """Each row's relative entropy to its middle, in bits."""
    ratio = np.divide(values, middle, out=np.ones_like(middle), where=(values > 0) & (middle > 0))
    return np.asarray((values * np.log2(ratio)).sum(axis=1))


def mutual_information(
    vocabulary: Vocabulary, supporting: SpeechText, candidates: Sequence[SpeechText], *, conditional: bool
) -> Vector:
    """I(v_s; v_c) in bits, where v_s and v_c say of a random term whether the speech and the candidate have it.

    Conditional, it is c-MI: sum over k of p(k) I(v_s|k; v_c|k), where k says whether any other candidate has the term.
    """
    has = presence(vocabulary.counts([supporting, *candidates]))
    ours = has[[0]].toarray().ravel()
    theirs = has[1:]
    if not conditional:
        return _information(*_table(theirs @ ours, theirs.sum(axis=1), ours.sum(), len(ours)), len(ours))
    having = np.asarray(theirs.sum(axis=0)).ravel()
    nobody, alone, several = having == 0, having == 1, having > 1
    # Terms that no other candidate has: those that nobody has, and those that only this one has.
    shared, own = theirs @ (alone * ours), theirs @ (alone * 1.0)
    terms = nobody.sum() + own
    without = _table(shared, own, (nobody * ours).sum() + shared, terms)
    others_ours = ours @ (having > 0) - shared
    within = _table(theirs @ (several * ours), theirs @ (several * 1.0), others_ours, len(ours) - terms)
    return _information(*without, len(ours)) + _information(*within, len(ours))


Count = Vector | float


def _table(shared: Count, theirs: Count, ours: Count, size: Count) -> tuple[Count, Count, Count, Count]:
    """How many of `size` terms both have, only the candidate, only the speech, and neither."""
    return shared, theirs - shared, ours - shared, size - theirs - ours + shared


def _information(both: Count, theirs: Count, ours: Count, neither: Count, terms: int) -> Vector:
    """p(k) times the mutual information of a two by two table, the terms of k's stratum out of all `terms`."""
    both, theirs, ours, neither = (np.asarray(count, dtype=np.float64) for count in (both, theirs, ours, neither))
    size = both + theirs + ours + neither
    have_ours, have_theirs = both + ours, both + theirs
    parts = (
        (both, have_ours, have_theirs),
        (theirs, size - have_ours, have_theirs),
        (ours, have_ours, size - have_theirs),
        (neither, size - have_ours, size - have_theirs),
    )
    total = np.zeros_like(size)
    for joint, one, other in parts:
        ratio = np.divide(joint * size, one * other, out=np.ones_like(size), where=joint > 0)
        total += joint * np.log2(ratio)
    return total / max(terms, 1)


def shared_terms(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """Terms that only this candidate shares with the supporting speech: cases, examples and terms of an argument.

    A word with a digit counts double. The sum is divided by the root of the number of the candidate's terms.
    """
    having = Counter(term for candidate in candidates for term in candidate.terms)
    scores = []
    for candidate in candidates:
        only_these_two = [term for term in supporting.terms & candidate.terms if having[term] == 1]
        total = sum(1 + any(map(str.isdigit, term)) for term in only_these_two)
        scores.append(total / np.sqrt(max(len(candidate.terms), 1)))
    return np.array(scores, dtype=np.float64)


METHODS = (
    CounterMethod(
        "tf-idf",
        "similar rare words",
        order=30,
        weight=1.0,
        assigned=True,
        build=lambda given: TfIdfCosine(given.speeches),
    ),
    CounterMethod("Cos", "similar words", order=40, build=lambda given: partial(cosine, given.vocabularies.all_words)),
    CounterMethod(
        "JS",
        "similar words",
        order=50,
        weight=1.0,
        assigned=True,
        build=lambda given: partial(jensen_shannon, given.vocabularies.all_words),
    ),
    CounterMethod(
        "MI",
        "terms both use",
        order=110,
        build=lambda given: partial(mutual_information, given.vocabularies.content_words, conditional=False),
    ),
    CounterMethod(
        "c-MI",
        "terms both use and others do not",
        sees="candidates",
        order=120,
        weight=1.0,
        assigned=True,
        build=lambda given: partial(mutual_information, given.vocabularies.content_words, conditional=True),
    ),
    CounterMethod(
        "mentions",
        "terms only these two use",
        sees="candidates",
        order=140,
        weight=1.0,
        build=lambda given: shared_terms,
    ),
)
