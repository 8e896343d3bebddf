"""A speech as the methods read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from pipeline.arrays import Mask, Vector
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
    def content_stems(self) -> list[list[str]]:
        """Stemmed words that are not stop words, sentence by sentence."""
        return [stems(sentence, without_stop_words=True) for sentence in self.sentences]

    @cached_property
    def content_runs(self) -> list[list[str]]:
        """Stemmed words that stand together, with no stop word and no end of a sentence between them."""
        return [run for sentence in self.sentences for run in _runs(tokens(sentence))]


def _runs(words: Sequence[str]) -> Iterator[list[str]]:
    for is_stop_word, run in groupby(words, key=lambda word: word in stop_words()):
        if not is_stop_word:
            yield [stem(word) for word in run]


def ranks(ids: Sequence[str], *scores: Vector) -> list[int]:
    """The rank of each speech, 1 for the best. Equal scores are ranked by the next scores, in the end by the ids.

    >>> import numpy as np
    >>> ranks(["b", "a", "c"], np.array([0.5, 0.5, 0.9]))
    [3, 2, 1]
    """
    order = sorted(range(len(ids)), key=lambda index: (*(-each[index] for each in scores), ids[index]))
    found = [0] * len(ids)
    for rank, index in enumerate(order, start=1):
        found[index] = rank
    return found


def allowed_pairs(supporting: Sequence[SpeechText], opposing: Sequence[SpeechText]) -> Mask:
    """Every pair but those with a speaker in common: nobody answers their own speech."""
    pairs = [[not _speakers(one) & _speakers(other) for other in opposing] for one in supporting]
    return np.array(pairs, dtype=np.bool_).reshape(len(supporting), len(opposing))


def _speakers(speech: SpeechText) -> set[str]:
    return {name.casefold() for name in speech.speakers}
