"""Word sequences that a supporting speech shares with one candidate and with no other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

Ngram = tuple[str, ...]
LENGTHS = range(2, 5)


def lone_ngrams(
    ours: Iterable[Sequence[str]], candidates: Sequence[Iterable[Sequence[str]]], lengths: range = LENGTHS
) -> list[set[Ngram]]:
    """For each candidate the n-grams that it alone shares with us, none contained in a longer one.

    A speech is given as runs of words; an n-gram lies within one run.

    >>> lone_ngrams([["a", "b", "c"]], [[["a", "b", "c"]], [["b", "c"]]])
    [{('a', 'b', 'c')}, set()]
    """
    our_ngrams = _ngrams(ours, lengths)
    shared = [our_ngrams & _ngrams(candidate, lengths) for candidate in candidates]
    having = Counter(ngram for found in shared for ngram in found)
    return [_longest({ngram for ngram in found if having[ngram] == 1}, lengths[0]) for found in shared]


def _ngrams(runs: Iterable[Sequence[str]], lengths: range) -> set[Ngram]:
    return {ngram for run in runs for ngram in _within(run, lengths)}


def _longest(found: set[Ngram], shortest: int) -> set[Ngram]:
    contained = {part for ngram in found for part in _within(ngram, range(shortest, len(ngram)))}
    return found - contained


def _within(words: Sequence[str], lengths: Iterable[int]) -> Iterator[Ngram]:
    for length in lengths:
        for start in range(len(words) - length + 1):
            yield tuple(words[start : start + length])
