"""Methods that count word sequences which a supporting speech shares with one candidate and with no other.

They are ngrs (Orbach et al. 2020), stemmed ngrs, content ngrs and phrases.
"""

from collections.abc import Sequence

import numpy as np

from pipeline.arrays import Vector
from pipeline.counter.method import CounterMethod
from pipeline.counter.texts import Ngram, SpeechText, lone_content_ngrams, lone_ngrams
from pipeline.text.terms import stop_words

# A quotation has at least four words, two of them content words. Longer ones than twelve are counted in parts.
_QUOTATION_LENGTHS = range(4, 13)
_FEWEST_CONTENT_WORDS = 2


def ngrams_of_words(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The total length, in words, of the n-grams that only this candidate shares with the supporting speech.

    As published: words as they are, next to one another in the speech, none of them a stop word. An n-gram that a
    longer one of the same speech contains is left out before the speeches are compared.
    """
    runs = [candidate.word_runs for candidate in candidates]
    return _total_lengths(lone_ngrams(supporting.word_runs, runs, longest_of_a_speech=True))


def ngrams_of_stems(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The same with stemmed words; an n-gram is left out where a longer one is shared that contains it."""
    return _total_lengths(lone_ngrams(supporting.content_runs, [candidate.content_runs for candidate in candidates]))


def ngrams_of_content_words(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The total length, in words, of the n-grams that only this candidate shares with the supporting speech.

    Stop words are deleted first, so that 'a phone is built to be picked up' has 'phone built picked'.
    """
    return _total_lengths(lone_content_ngrams(supporting, candidates))


def _total_lengths(ngrams: Sequence[set[Ngram]]) -> Vector:
    return np.array([sum(map(len, of_candidate)) for of_candidate in ngrams], dtype=np.float64)


def quoted_words(supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The number of words in phrases that only this candidate quotes, over the root of its sentences' number."""
    phrases = lone_ngrams(supporting.words, [candidate.words for candidate in candidates], _QUOTATION_LENGTHS)
    quoted = _total_lengths([set(filter(_is_quotation, of_candidate)) for of_candidate in phrases])
    return quoted / np.sqrt([max(len(candidate.sentences), 1) for candidate in candidates])


def _is_quotation(phrase: Ngram) -> bool:
    return sum(word not in stop_words() for word in phrase) >= _FEWEST_CONTENT_WORDS


METHODS = (
    CounterMethod(
        "ngrs",
        "phrases only these two share",
        order=100,
        sees="candidates",
        assigned=True,
        build=lambda given: ngrams_of_words,
    ),
    CounterMethod(
        "stemmed ngrs",
        "stemmed phrases only these two share",
        order=103,
        sees="candidates",
        assigned=True,
        build=lambda given: ngrams_of_stems,
    ),
    CounterMethod(
        "content ngrs",
        "content words only these two share in a row",
        order=105,
        sees="candidates",
        weight=1.0,
        assigned=True,
        build=lambda given: ngrams_of_content_words,
    ),
    CounterMethod("phrases", "quotes it word for word", order=133, sees="candidates", build=lambda given: quoted_words),
)
