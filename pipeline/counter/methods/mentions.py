"""mentions: terms that only this candidate shares with the supporting speech."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import SpeechText


def shared_terms(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """Terms that only this candidate shares with the supporting speech: cases, examples and terms of an argument.

    A word with a digit counts double. The sum is divided by the root of the number of the candidate's terms.
    """
    ours = _terms(supporting)
    theirs = [_terms(candidate) for candidate in candidates]
    having = Counter(term for terms in theirs for term in terms)
    return np.array(
        [
            sum(1 + any(map(str.isdigit, term)) for term in ours & terms if having[term] == 1)
            / np.sqrt(max(len(terms), 1))
            for terms in theirs
        ],
        dtype=np.float64,
    )


def _terms(speech: SpeechText) -> set[str]:
    return {stem for sentence in speech.content_stems for stem in sentence}


METHOD = CounterMethod(
    "mentions",
    "terms only these two use",
    sees="candidates",
    place=140,
    weight=1.0,
    build=lambda given: shared_terms,
)
