"""A speech as the methods read it, and what a method is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.text.terms import stems

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpeechText:
    """The sentences of one speech; what is counted of them is counted once."""

    id: str
    sentences: tuple[str, ...]
    speakers: tuple[str, ...] = ()

    @cached_property
    def stems(self) -> list[list[str]]:
        """Stemmed words, sentence by sentence."""
        return [stems(sentence) for sentence in self.sentences]

    @cached_property
    def content_stems(self) -> list[list[str]]:
        """Stemmed words that are not stop words, sentence by sentence."""
        return [stems(sentence, without_stop_words=True) for sentence in self.sentences]


class Method(Protocol):
    """Scores candidates by how likely each was recorded in answer to the supporting speech; more is likelier.

    A candidate's score does not depend on the order of the candidates, and identical candidates score the same. An
    empty speech, on either side, scores 0; no candidates make an empty array.
    """

    name: str

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores: ...


def ranks(ids: Sequence[str], *scores: Scores) -> list[int]:
    """1 for the best by the first scores; where these are equal by the next, and in the end by the order of the ids."""
    order = sorted(range(len(ids)), key=lambda index: (*(-each[index] for each in scores), ids[index]))
    found = [0] * len(ids)
    for rank, index in enumerate(order, start=1):
        found[index] = rank
    return found
