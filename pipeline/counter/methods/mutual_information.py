"""MI: mutual information of which terms two speeches have."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText, Vocabulary, presence


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


METHOD = CounterMethod(
    "MI",
    "terms both use",
    place=110,
    build=lambda given: partial(mutual_information, given.vocabularies.content_words, conditional=False),
)
