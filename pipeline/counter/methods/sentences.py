"""Methods that compare two speeches sentence by sentence: what the one takes up, reports or contradicts of the other.

They are quotes, unraised, comprehensive, order, main issue and opposes.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.counter.comparison import Relations, SentenceSimilarity, best_matches, covered
from pipeline.counter.method import CounterMethod, by_pair
from pipeline.counter.reported_speech import emphasises, report_weights, reported_issues
from pipeline.counter.texts import SpeechText


def quotes(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """Sentences that report what the other side said, by how well they match a sentence of the supporting speech.

    A sentence that follows a report counts half. The sum is divided by the root of the candidate's length, so that
    neither a long speech nor a single report decides.
    """
    best = best_matches(similarity(supporting, candidate), axis=0)
    reports = report_weights(candidate, supporting.speakers)
    return float((best * reports).sum() / np.sqrt(max(len(best), 1)))


def unraised(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """Issues that the candidate attributes to the other side, and that the supporting speech did not raise.

    They speak against the candidate: the score is 0 at best. An issue that the supporting speech raised matches one of
    its sentences at least as well as the candidate's other sentences do. The score is how far the reported issues fall
    short of these sentences' lower quartile, on average.
    """
    issues, indices = reported_issues(candidate, supporting.speakers)
    if not issues.sentences or not supporting.sentences:
        return 0.0
    best_of_issues = best_matches(similarity(supporting, issues), axis=0)
    best_of_sentences = best_matches(similarity(supporting, candidate), axis=0)
    others = np.delete(best_of_sentences, indices)
    usual = np.quantile(others if len(others) else best_of_sentences, 0.25)
    return float(np.minimum(best_of_issues - usual, 0.0).mean())


def comprehensive(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """How much of the supporting speech the candidate takes up: the mean of its sentences' best matches."""
    return covered(similarity(supporting, candidate))


def in_order(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """Whether the candidate takes up the supporting speech's points in their order."""
    return chain_weight(similarity(supporting, candidate))


def chain_weight(similarity: Matrix) -> float:
    """The weight of the best chain of sentences that match, which goes forward in both speeches, over its rows' number.

    Only what is above the mean similarity of the two speeches counts.
    """
    if not similarity.size:
        return 0.0
    above = np.maximum(similarity - similarity.mean(), 0.0)
    best = np.zeros(similarity.shape[1] + 1)
    for row in above:
        best[1:] = np.maximum.accumulate(np.maximum(best[1:], best[:-1] + row))
    return float(best[-1] / len(similarity))


def main_issue(similarity: SentenceSimilarity, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
    """The mean of the best matches, in which central and emphasised sentences of the supporting speech count more."""
    weights = _sentence_weights(supporting, similarity(supporting, supporting))
    scores = [covered(similarity(supporting, candidate), weights) for candidate in candidates]
    return np.array(scores, dtype=np.float64)


def _sentence_weights(speech: SpeechText, similarity: Matrix) -> Vector:
    """The centrality of each sentence: its mean similarity to the speech's others, doubled where it is emphasised."""
    centrality = np.maximum(similarity, 0).mean(axis=1) if len(similarity) else np.zeros(0)
    return np.asarray(centrality * (1 + np.array([emphasises(text) for text in speech.sentences], dtype=np.float64)))


def opposes(relations: Relations, supporting: SpeechText, candidate: SpeechText) -> float:
    """How much of the supporting speech the candidate contradicts: the mean of its sentences' best matches.

    A match that only repeats counts half.
    """
    opposed = 1 + relations.opposition(supporting, candidate)
    return covered(relations.similarity(supporting, candidate) * opposed / 2)


METHODS = (
    CounterMethod(
        "quotes",
        "reports the other side",
        order=130,
        weight=1.0,
        build=lambda given: by_pair(partial(quotes, given.relations.similarity)),
    ),
    CounterMethod(
        "unraised",
        "answers nothing that was not said",
        order=135,
        build=lambda given: by_pair(partial(unraised, given.relations.similarity)),
    ),
    CounterMethod(
        "comprehensive",
        "meets what it says",
        order=150,
        weight=1.0,
        build=lambda given: by_pair(partial(comprehensive, given.relations.similarity)),
    ),
    CounterMethod(
        "order",
        "meets its points in their order",
        order=160,
        weight=1.0,
        build=lambda given: by_pair(partial(in_order, given.relations.similarity)),
    ),
    CounterMethod(
        "main issue",
        "meets its main issue",
        order=170,
        weight=1.0,
        build=lambda given: partial(main_issue, given.relations.similarity),
    ),
    CounterMethod(
        "opposes",
        "contradicts it",
        order=180,
        weight=1.0,
        build=lambda given: by_pair(partial(opposes, given.relations)),
    ),
)
