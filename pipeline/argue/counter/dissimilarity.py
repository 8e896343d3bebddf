"""SD and SD-e: simultaneous similarity and dissimilarity of sentences, aggregated over both speeches."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.counter.movers import SentenceDistances, SpeechWords, speech_words
from pipeline.argue.counter.question import Question, mean_accuracy
from pipeline.argue.counter.speech_text import Scores, SpeechText
from pipeline.argue.counter.terms import Vocabulary, normalised
from pipeline.text.encoders.word_vectors import WordVectors

Matrix = NDArray[np.float64]
Aggregation = tuple[str, str]

# A product of hundreds of similarities is no number to compare by: the mean of their logarithms keeps its order for
# speeches of one length, and does not punish long ones.
_AGGREGATE: dict[str, Callable[[Matrix], Matrix]] = {
    "max": lambda values: np.asarray(values.max(axis=-1)),
    "min": lambda values: np.asarray(values.min(axis=-1)),
    "average": lambda values: np.asarray(values.mean(axis=-1)),
    "product": lambda values: np.asarray(np.exp(np.log(values).mean(axis=-1))),
}
AGGREGATIONS: tuple[Aggregation, ...] = tuple(itertools.product(_AGGREGATE, _AGGREGATE))
ALPHAS = (1.0, 0.9, 0.8)


@dataclass(frozen=True)
class Configuration:
    """score = alpha * sim - (1 - alpha) * dissim; each is (f, g): f over the candidate's sentences, g over ours."""

    similarity: Aggregation = ("max", "average")
    dissimilarity: Aggregation = ("average", "average")
    alpha: float = 0.9

    def as_json(self) -> dict[str, Any]:
        """What `Configuration.of` takes."""
        return {
            "similarity": list(self.similarity),
            "dissimilarity": list(self.dissimilarity),
            "alpha": self.alpha,
        }

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Configuration":
        one, other = content["similarity"], content["dissimilarity"]
        return cls((one[0], one[1]), (other[0], other[1]), float(content["alpha"]))

    def __str__(self) -> str:
        sim, dissim = "/".join(self.similarity), "/".join(self.dissimilarity)
        return f"sim {sim}" + (f", dissim {dissim}, alpha {self.alpha:g}" if self.alpha < 1 else "")


CONFIGURATIONS: tuple[Configuration, ...] = (
    *(Configuration(sim, sim, 1.0) for sim in AGGREGATIONS),
    *(
        Configuration(sim, dissim, alpha)
        for sim, dissim in itertools.permutations(AGGREGATIONS, 2)
        for alpha in ALPHAS
        if alpha < 1
    ),
)


class WordSimilarity:
    """w: 1 / (1 + the Manhattan distance of two sentences' normalised term vectors)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._rows: dict[SpeechText, tuple[NDArray[np.intp], Matrix]] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Scores:
        (our_terms, ours), (their_terms, theirs) = self._sentences(one), self._sentences(other)
        if not len(ours) or not len(theirs):
            return np.zeros(len(wanted))
        _, mine, yours = np.intersect1d(our_terms, their_terms, assume_unique=True, return_indices=True)
        # |a - b| summed is 2 - 2 * the sum of the smaller ones, as both sum to 1
        overlap = np.minimum(ours[:, None, mine], theirs[None, :, yours]).sum(axis=2)
        return _aggregated(1 / (3 - 2 * overlap), wanted)

    def _sentences(self, speech: SpeechText) -> tuple[NDArray[np.intp], Matrix]:
        """The speech's terms, and the sentences that have any as distributions over them."""
        if speech not in self._rows:
            rows = normalised(self.vocabulary.sentence_counts(speech)).tocsr()
            terms = np.unique(rows.indices)
            dense = rows[:, terms].toarray()
            self._rows[speech] = terms, dense[dense.any(axis=1)]
        return self._rows[speech]


class MoverSimilarity:
    """e: 1 / (1 + the Word Mover's Distance of two sentences), their stop words left out.

    The largest and smallest distance of a sentence are found by bounds; only averages and products need them all.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
        self.solved = 0
        self._words: dict[SpeechText, SpeechWords] = {}
        self._known: dict[tuple[SpeechText, SpeechText, Aggregation], float] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Scores:
        missing = [each for each in wanted if (one, other, each) not in self._known]
        if missing:
            values = self._computed(one, other, missing)
            self._known.update({(one, other, each): float(value) for each, value in zip(missing, values, strict=True)})
        return np.array([self._known[one, other, each] for each in wanted])

    def _computed(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Scores:
        distances = SentenceDistances(self._speech_words(one), self._speech_words(other))
        if 0 in distances.shape:
            return np.zeros(len(wanted))
        if {first for first, _ in wanted} <= {"max", "min"}:
            nearest = {"max": distances.smallest, "min": distances.largest}
            inner = {first: 1 / (1 + nearest[first]()) for first in {first for first, _ in wanted}}
            values = np.array([_AGGREGATE[second](inner[first]) for first, second in wanted])
        else:
            values = _aggregated(1 / (1 + distances.all), wanted)
        self.solved += distances.solved
        return values

    def _speech_words(self, speech: SpeechText) -> SpeechWords:
        if speech not in self._words:
            self._words[speech] = speech_words(speech, self.vectors)
        return self._words[speech]


class SimilarityDissimilarity:
    """SD where given both similarities, SD-e with that of embeddings alone."""

    def __init__(
        self, words: WordSimilarity | None, movers: MoverSimilarity, configuration: Configuration | None = None
    ) -> None:
        self.name = "SD" if words else "SD-e"
        self.words = words
        self.movers = movers
        self.configuration = configuration or Configuration()

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        config = self.configuration
        wanted = (config.similarity, config.dissimilarity) if config.alpha < 1 else (config.similarity,) * 2
        table = self.table(supporting, candidates, wanted)
        return np.asarray(config.alpha * table[:, 0] - (1 - config.alpha) * table[:, 1])

    def table(
        self, supporting: SpeechText, candidates: Sequence[SpeechText], wanted: Sequence[Aggregation] = AGGREGATIONS
    ) -> Matrix:
        """w + e of each candidate, a row a candidate and a column an aggregation."""
        rows = np.zeros((len(candidates), len(wanted)))
        for row, candidate in zip(rows, candidates, strict=True):
            row += self.movers.aggregated(supporting, candidate, wanted)
            if self.words:
                row += self.words.aggregated(supporting, candidate, wanted)
        return rows

    def tuned(self, questions: Sequence[Question]) -> Configuration:
        """The configuration with the highest accuracy, the first of equals."""
        tables = [self.table(question.supporting, question.candidates) for question in questions]
        return max(
            CONFIGURATIONS, key=lambda config: mean_accuracy([_scored(table, config) for table in tables], questions)
        )


def _scored(table: Matrix, config: Configuration) -> Scores:
    """Scores from a table of all aggregations."""
    similarity = table[:, AGGREGATIONS.index(config.similarity)]
    dissimilarity = table[:, AGGREGATIONS.index(config.dissimilarity)]
    return np.asarray(config.alpha * similarity - (1 - config.alpha) * dissimilarity)


def _aggregated(values: Matrix, wanted: Sequence[Aggregation]) -> Scores:
    inner = {first: _AGGREGATE[first](values) for first in {first for first, _ in wanted}}
    return np.array([_AGGREGATE[second](inner[first]) for first, second in wanted])
