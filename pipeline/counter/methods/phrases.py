"""phrases: words of the supporting speech that the candidate repeats exactly, and no other candidate does."""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import Ngram, SpeechText, lone_ngrams
from pipeline.text.terms import stop_words

# A quotation has at least four words, two of them content words. Longer ones than twelve are counted in parts.
_LENGTHS = range(4, 13)
_FEWEST_CONTENT_WORDS = 2


def quoted_words(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The number of words in phrases that only this candidate quotes, over the root of its sentences' number."""
    found = lone_ngrams(supporting.words, [candidate.words for candidate in candidates], _LENGTHS)
    return np.array(
        [
            sum(len(phrase) for phrase in phrases if _is_quotation(phrase)) / np.sqrt(max(len(each.sentences), 1))
            for each, phrases in zip(candidates, found, strict=True)
        ],
        dtype=np.float64,
    )


def _is_quotation(phrase: Ngram) -> bool:
    return sum(word not in stop_words() for word in phrase) >= _FEWEST_CONTENT_WORDS


METHOD = CounterMethod(
    "phrases",
    "quotes it word for word",
    place=133,
    sees="candidates",
    build=lambda given: quoted_words,
)
