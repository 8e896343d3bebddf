"""How the sentences of two speeches compare: how similar they are, and which contradict each other."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.counter.reported_speech import turns_against
from pipeline.counter.texts import SpeechText
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.terms import is_negated

# The similarity of two speeches' sentences: one row per sentence of the one speech, one column per sentence of the
# other; 1 for equal sentences.
SentenceSimilarity = Callable[[SpeechText, SpeechText], Matrix]
# How probably each sentence of the second speech contradicts each of the first, from 0 to 1.
Opposition = Callable[[SpeechText, SpeechText], Matrix]


class EncodedSimilarity:
    """The cosine of sentence embeddings; every sentence is embedded once.

    The sentences of `speeches` are embedded together, which takes half the time: an encoder reads texts of one length
    side by side.
    """

    def __init__(self, encoder: Encoder, speeches: Sequence[SpeechText] = ()) -> None:
        self.encoder = encoder
        self._ahead = [sentence for speech in speeches for sentence in speech.sentences]
        self._known: dict[SpeechText, Matrix] = {}

    def __call__(self, one: SpeechText, other: SpeechText) -> Matrix:
        if not one.sentences or not other.sentences:
            return np.zeros((len(one.sentences), len(other.sentences)))
        return self._embedded(one) @ self._embedded(other).T

    def _embedded(self, speech: SpeechText) -> Matrix:
        if self._ahead:
            self.encoder.encode(self._ahead)
            self._ahead = []
        if speech not in self._known:
            self._known[speech] = np.asarray(self.encoder.encode(speech.sentences), dtype=np.float64)
        return self._known[speech]


class SharedWordSimilarity:
    """The share of content words that two sentences have in common, as a cosine."""

    def __call__(self, one: SpeechText, other: SpeechText) -> Matrix:
        ours, theirs = ([Counter(stems) for stems in speech.content_stems] for speech in (one, other))
        return np.array([[_cosine(a, b) for b in theirs] for a in ours]).reshape(len(ours), len(theirs))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    product = sum(count * other[stem] for stem, count in one.items())
    squares = [sum(count**2 for count in counts.values()) for counts in (one, other)]
    return product / np.sqrt(squares[0] * squares[1]) if product else 0.0


def covered(similarity: Matrix, weights: Vector | None = None) -> float:
    """The mean of the rows' best matches, weighted if there are weights."""
    best = best_matches(similarity, axis=1)
    if not len(best) or (weights is not None and not weights.any()):
        return 0.0
    return float(np.average(best, weights=weights))


def best_matches(similarity: Matrix, axis: int) -> Vector:
    """The best match of each row or column, none below 0; 0 where there is nothing to match."""
    return np.asarray(similarity.max(axis=axis, initial=0.0))


# Which sentences contradict each other: by their words, or by a model of natural language inference.

# A supporting sentence is compared with so many of the candidate's, the most similar ones.
_NEAREST = 3


def worded_opposition(supporting: SpeechText, candidate: SpeechText) -> Matrix:
    """1 where the candidate's sentence, or the next, turns against something, or where just one of two is negated."""
    turns = np.array([turns_against(text) for text in candidate.sentences], dtype=bool)
    turning = turns | np.concatenate([turns[1:], np.zeros(1, dtype=bool)])[: len(turns)]
    ours, theirs = (
        np.array([is_negated(text) for text in speech.sentences], bool) for speech in (supporting, candidate)
    )
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
        similarity = self.similarity(supporting, candidate)
        opposition = np.zeros_like(similarity)
        nearest = np.argsort(-similarity, axis=1, kind="stable")[:, :_NEAREST]
        cells = [(row, column) for row, columns in enumerate(nearest) for column in columns]
        pairs = [(supporting.sentences[row], candidate.sentences[column]) for row, column in cells]
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known.update(zip(new, self.reader.probabilities(new).tolist(), strict=True))
        for (row, column), pair in zip(cells, pairs, strict=True):
            opposition[row, column] = self._known[pair]
        return opposition
