"""Which sentences contradict each other: by their words, or by a model of natural language inference."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pipeline.argue.counter.comparison.similarity import SentenceSimilarity
from pipeline.argue.counter.texts.cues import is_negated, turns_against
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Matrix
from pipeline.text.encoders.cross_encoder import CrossEncoder

_NEAREST = 3


class Opposition(Protocol):
    """How probably each sentence of the candidate contradicts each of the supporting speech, from 0 to 1."""

    def __call__(self, supporting: SpeechText, candidate: SpeechText) -> Matrix: ...


def worded_opposition(supporting: SpeechText, candidate: SpeechText) -> Matrix:
    """1 where the candidate's sentence, or the next, turns against something, or where just one of two is negated."""
    turns = np.array([turns_against(text) for text in candidate.sentences], dtype=bool)
    turning = turns | np.concatenate([turns[1:], np.zeros(1, dtype=bool)])[: len(turns)]
    ours, theirs = (np.array([is_negated(text) for text in each.sentences], bool) for each in (supporting, candidate))
    return np.asarray((ours[:, None] != theirs[None, :]) | turning[None, :], dtype=np.float64)


@dataclass(frozen=True)
class Relations:
    """How the sentences of two speeches relate: how alike they are, and whether they contradict."""

    similarity: SentenceSimilarity
    opposition: Opposition = worded_opposition


class InferredOpposition:
    """The probability of contradiction by a cross-encoder, of each supporting sentence with those most like it."""

    def __init__(self, reader: CrossEncoder, similarity: SentenceSimilarity) -> None:
        self.reader = reader
        self.similarity = similarity
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, supporting: SpeechText, candidate: SpeechText) -> Matrix:
        alike = self.similarity(supporting, candidate)
        found = np.zeros_like(alike)
        nearest = np.argsort(-alike, axis=1, kind="stable")[:, :_NEAREST]
        places = [(row, column) for row, columns in enumerate(nearest) for column in columns]
        pairs = [(supporting.sentences[row], candidate.sentences[column]) for row, column in places]
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known.update(zip(new, self.reader.probabilities(new).tolist(), strict=True))
        for (row, column), pair in zip(places, pairs, strict=True):
            found[row, column] = self._known[pair]
        return found
