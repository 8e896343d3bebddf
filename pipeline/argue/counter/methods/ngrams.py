"""ngrs: the word sequences that a supporting speech shares with one candidate and with no other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.speech_text import SpeechText
from pipeline.arrays import Vector

Ngram = tuple[str, ...]
LENGTHS = (2, 3, 4)


class SharedNgrams:
    """The total length, in words, of the n-grams that only this candidate shares with the supporting speech."""

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return np.array([sum(map(len, found)) for found in shared_ngrams(supporting, candidates)], dtype=np.float64)


def shared_ngrams(supporting: SpeechText, candidates: Sequence[SpeechText]) -> list[set[Ngram]]:
    """For each candidate the n-grams it alone shares with the supporting speech, none contained in a longer one."""
    ours = ngrams(supporting)
    shared = [ours & ngrams(candidate) for candidate in candidates]
    having = Counter(ngram for found in shared for ngram in found)
    return [_longest({ngram for ngram in found if having[ngram] == 1}) for found in shared]


@lru_cache(maxsize=10_000)
def ngrams(speech: SpeechText) -> frozenset[Ngram]:
    """The 2- to 4-grams of stems within a sentence, its stop words left out."""
    return frozenset(ngram for sentence in speech.content_stems for ngram in _within(sentence, LENGTHS))


def _longest(found: set[Ngram]) -> set[Ngram]:
    contained = {part for ngram in found for part in _within(ngram, range(LENGTHS[0], len(ngram)))}
    return found - contained


def _within(stems: Sequence[str], lengths: Iterable[int]) -> Iterator[Ngram]:
    for length in lengths:
        for start in range(len(stems) - length + 1):
            yield tuple(stems[start : start + length])


METHOD = CounterMethod("ngrs", place=100, weight=1.0, assigned=True, build=lambda given: SharedNgrams())
