"""The methods that only the published evaluation has, baselines and trained models, and how all methods are fitted.

They are random, longest, SD, BERT and BERT-T.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Indices, Matrix, Vector
from pipeline.counter.evaluate.debates import AnsweredDebate, answer_pairs, questions
from pipeline.counter.evaluate.learning import Resources, fit_ranker, tuned
from pipeline.counter.evaluate.next_sentence import NextSentence, fine_tuned
from pipeline.counter.method import CounterMethod, Given, Method, build, by_pair, in_order, run_methods
from pipeline.counter.methods.word_movers import SimilarityDissimilarity, SpeechSimilarity
from pipeline.counter.ranker import Ranker
from pipeline.counter.texts import SpeechText, Vocabularies, Vocabulary, normalised
from pipeline.counter.word_movers import Aggregation, aggregated_by


@dataclass(frozen=True)
class Taught(Given):
    """The inputs that the paper's methods are built from: those of a run's methods, and debates to learn from."""

    training: Sequence[AnsweredDebate] = ()
    validation: Sequence[AnsweredDebate] = ()
    bert: NextSentence | None = None
    epochs: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Fitted:
    """The trained methods, and the trained ranker."""

    methods: dict[str, Method]
    ranker: Ranker


def fit(training: Sequence[AnsweredDebate], validation: Sequence[AnsweredDebate], resources: Resources) -> Fitted:
    """Terms from training, SD tuned on validation, SD-e and the ranker's weights on both."""
    ranker = fit_ranker([*training, *validation], resources)
    taught = Taught(
        resources.relations,
        Vocabularies.of_pairs(answer_pairs(training)),
        [speech for debate in training for speech in debate.speeches],
        resources.movers,
        ranker.configuration,
        training,
        validation,
        resources.bert,
        resources.epochs,
        resources.seed,
    )
    return Fitted(build(all_methods(), taught), ranker)


def all_methods() -> list[CounterMethod]:
    """The methods of a run and those of the paper, in the order of the table."""
    return in_order([*run_methods(), *METHODS])


class WordSimilarity:
    """w: 1 / (1 + the Manhattan distance of two sentences' normalised term vectors)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._rows: dict[SpeechText, tuple[Indices, Matrix]] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        (our_terms, ours), (their_terms, theirs) = self._sentences(one), self._sentences(other)
        if not len(ours) or not len(theirs):
            return np.zeros(len(wanted))
        _, mine, yours = np.intersect1d(our_terms, their_terms, assume_unique=True, return_indices=True)
        # |a - b| summed is 2 - 2 * the sum of the smaller ones, as both sum to 1
        overlap = np.minimum(ours[:, None, mine], theirs[None, :, yours]).sum(axis=2)
        return aggregated_by(1 / (3 - 2 * overlap), wanted)

    def _sentences(self, speech: SpeechText) -> tuple[Indices, Matrix]:
        """The speech's terms, and the sentences that have any as distributions over them."""
        if speech not in self._rows:
            rows = normalised(self.vocabulary.sentence_counts(speech)).tocsr()
            terms = np.unique(rows.indices)
            dense = rows[:, terms].toarray()
            self._rows[speech] = terms, dense[dense.any(axis=1)]
        return self._rows[speech]


def _similarity_dissimilarity(taught: Taught) -> SimilarityDissimilarity | None:
    """SD: simultaneous similarity and dissimilarity (Wachsmuth et al. 2018), by words and word embeddings."""
    if taught.movers is None:
        return None
    parts: list[SpeechSimilarity] = [taught.movers, WordSimilarity(taught.vocabularies.all_words)]
    return SimilarityDissimilarity(parts, tuned(parts, questions(taught.validation)))


def _bert(taught: Taught) -> NextSentence | None:
    """BERT: whether the candidate's beginning follows on the supporting speech's end, by next sentence prediction."""
    return taught.bert if taught.bert and taught.bert.has_head else None


def _fine_tuned_bert(taught: Taught) -> NextSentence | None:
    """BERT-T: next sentence prediction, fine-tuned on speeches and their answers."""
    if taught.bert is None or not taught.epochs:
        return None
    training, validation = questions(taught.training), questions(taught.validation)
    return fine_tuned(taught.bert, training, validation, epochs=taught.epochs, seed=taught.seed)


METHODS = (
    # All candidates score alike, so that ties give what chance gives.
    CounterMethod("random", "chance", order=10, assigned=True, build=lambda taught: by_pair(lambda one, other: 0.0)),
    CounterMethod(
        "longest",
        "a longer speech",
        order=20,
        build=lambda taught: by_pair(lambda one, other: sum(map(len, other.stems))),
    ),
    CounterMethod(
        "SD",
        "similar by words and word vectors",
        order=60,
        build=_similarity_dissimilarity,
        needs="needs word vectors: --vectors",
    ),
    CounterMethod(
        "BERT",
        "begins where the other ends",
        order=80,
        build=_bert,
        needs="needs a BERT with its head for next sentences: --bert",
    ),
    CounterMethod(
        "BERT-T",
        "begins where the other ends",
        order=90,
        build=_fine_tuned_bert,
        needs="needs a BERT to fine-tune: --bert",
    ),
)
