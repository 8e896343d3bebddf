"""The methods there are, built from what each needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.counter.divergence import Cosine, JensenShannon, TfIdfCosine
from pipeline.argue.counter.information import MutualInformation
from pipeline.argue.counter.ngrams import SharedNgrams
from pipeline.argue.counter.opposition import Relations
from pipeline.argue.counter.ranker import Mask
from pipeline.argue.counter.reasons import Comprehensive, MainIssue, Mentions, Opposes, Order, Quotes
from pipeline.argue.counter.speech_text import Method, Scores, SpeechText
from pipeline.argue.counter.terms import Vocabulary


@dataclass(frozen=True)
class Vocabularies:
    """The terms of the paper's methods: with stop words, and for mutual information without."""

    all_words: Vocabulary
    content_words: Vocabulary

    @classmethod
    def open(cls) -> "Vocabularies":
        """Every term of the speeches at hand: what there is where nothing was trained."""
        return cls(Vocabulary(), Vocabulary(without_stop_words=True))

    @classmethod
    def of_pairs(cls, pairs: Sequence[tuple[SpeechText, SpeechText]]) -> "Vocabularies":
        """The terms that appear in at least 1 % of the training pairs."""
        return cls(Vocabulary.of_pairs(pairs), Vocabulary.of_pairs(pairs, without_stop_words=True))


def term_methods(vocabularies: Vocabularies) -> list[Method]:
    """The paper's methods that need nothing but words."""
    return [
        Cosine(vocabularies.all_words),
        JensenShannon(vocabularies.all_words),
        SharedNgrams(),
        MutualInformation(vocabularies.content_words, conditional=False),
        MutualInformation(vocabularies.content_words, conditional=True),
    ]


def reason_methods(relations: Relations) -> list[Method]:
    """What experts say an answer is known by."""
    return [
        Quotes(relations.similarity),
        Mentions(),
        Comprehensive(relations.similarity),
        Order(relations.similarity),
        MainIssue(relations.similarity),
        Opposes(relations.similarity, relations.opposition),
    ]


def untrained_methods(relations: Relations, speeches: Sequence[SpeechText]) -> list[Method]:
    """All that needs neither training nor word vectors: terms, and how rare they are, are those of the speeches."""
    return [*term_methods(Vocabularies.open()), TfIdfCosine(speeches), *reason_methods(relations)]


def table(
    methods: Iterable[Method], supporting: Sequence[SpeechText], opposing: Sequence[SpeechText], allowed: Mask
) -> dict[str, Scores]:
    """Each method's scores, a row a supporting speech and a column an opposing one; not allowed pairs score 0.

    Only allowed pairs are candidates: what a speech cannot answer does not change the others' scores.
    """
    order = sorted(range(len(opposing)), key=lambda column: opposing[column].id)
    scores = {}
    for method in methods:
        found = np.zeros(allowed.shape)
        for row, speech in enumerate(supporting):
            columns = [column for column in order if allowed[row, column]]
            found[row, columns] = method.scores(speech, [opposing[column] for column in columns])
        scores[method.name] = found
    return scores


class Equal:
    """Scores nothing: what it gets right is what chance gets right."""

    name = "random"

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return np.zeros(len(candidates))


class Longest:
    """The longer the candidate, the better."""

    name = "longest"

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return np.array([sum(map(len, candidate.stems)) for candidate in candidates], dtype=np.float64)
