"""What experts say an answer is known by, each as a score: it quotes, mentions, covers, keeps the order, opposes."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from pipeline.argue.counter.cues import attributes, emphasises, names_spoken
from pipeline.argue.counter.opposition import Opposition
from pipeline.argue.counter.similarity import Matrix, SentenceSimilarity
from pipeline.argue.counter.speech_text import Scores, SpeechText


class Comprehensive:
    """How much of the supporting speech the candidate takes up: the mean of each sentence's best match."""

    name = "comprehensive"

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return _each(candidates, lambda candidate: _covered(self.similarity(supporting, candidate)))


class MainIssue:
    """The same, where central and emphasised sentences of the supporting speech count for more."""

    name = "main issue"

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        weights = sentence_weights(supporting, self.similarity(supporting, supporting))
        return _each(candidates, lambda candidate: _covered(self.similarity(supporting, candidate), weights))


class Quotes:
    """Sentences that report what the other side said, by how well they match a sentence of the supporting speech.

    A sentence that follows a report counts half. The sum is divided by the root of the candidate's length, so that
    neither a long speech nor a single report decides.
    """

    name = "quotes"

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return _each(candidates, lambda candidate: self._score(supporting, candidate))

    def _score(self, supporting: SpeechText, candidate: SpeechText) -> float:
        best = _best(self.similarity(supporting, candidate), axis=0)
        reports = report_weights(candidate, supporting.speakers)
        return float((best * reports).sum() / np.sqrt(max(len(best), 1)))


class Mentions:
    """Terms that only this candidate shares with the supporting speech: cases, examples and terms of an argument.

    A word with a digit counts double. The sum is divided by the root of the number of the candidate's terms.
    """

    name = "mentions"

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        ours = _terms(supporting)
        theirs = [_terms(candidate) for candidate in candidates]
        having = Counter(term for terms in theirs for term in terms)
        return np.array(
            [
                sum(1 + any(map(str.isdigit, term)) for term in ours & terms if having[term] == 1)
                / np.sqrt(max(len(terms), 1))
                for terms in theirs
            ],
            dtype=np.float64,
        )


class Order:
    """The heaviest chain of matched sentences that goes forward in both speeches, a sentence's mean share of it."""

    name = "order"

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return _each(candidates, lambda candidate: chain_weight(self.similarity(supporting, candidate)))


class Opposes:
    """Each sentence's best match among sentences that contradict it rather than repeat it.

    A sentence that only repeats counts half.
    """

    name = "opposes"

    def __init__(self, similarity: SentenceSimilarity, opposition: Opposition) -> None:
        self.similarity = similarity
        self.opposition = opposition

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Scores:
        return _each(
            candidates,
            lambda candidate: _covered(
                self.similarity(supporting, candidate) * (1 + self.opposition(supporting, candidate)) / 2
            ),
        )


def sentence_weights(speech: SpeechText, similarity: Matrix) -> Scores:
    """Of each sentence its centrality, the mean likeness to the speech's others, doubled where it is emphasised."""
    centrality = np.maximum(similarity, 0).mean(axis=1) if len(similarity) else np.zeros(0)
    return np.asarray(centrality * (1 + np.array([emphasises(text) for text in speech.sentences], dtype=np.float64)))


def report_weights(candidate: SpeechText, speakers: Sequence[str]) -> Scores:
    """1 for a sentence that reports what the other side said, or names its speaker; half for the sentence after."""
    names = names_spoken(speakers)
    reports = np.array([attributes(text, names) for text in candidate.sentences], dtype=np.float64)
    return np.asarray(np.maximum(reports, np.concatenate([np.zeros(1), reports[:-1]])[: len(reports)] / 2))


def chain_weight(similarity: Matrix) -> float:
    """The weight of the best chain of pairs that goes forward in both speeches, over the number of its rows.

    What two sentences of these speeches have in common on average counts for nothing.
    """
    if not similarity.size:
        return 0.0
    above = np.maximum(similarity - similarity.mean(), 0.0)
    best = np.zeros(similarity.shape[1] + 1)
    for row in above:
        best[1:] = np.maximum.accumulate(np.maximum(best[1:], best[:-1] + row))
    return float(best[-1] / len(similarity))


def _each(candidates: Sequence[SpeechText], score: Callable[[SpeechText], float]) -> Scores:
    return np.array([score(candidate) for candidate in candidates], dtype=np.float64)


def _covered(similarity: Matrix, weights: Scores | None = None) -> float:
    """The mean of the rows' best matches, weighted."""
    best = _best(similarity, axis=1)
    if not len(best) or (weights is not None and not weights.any()):
        return 0.0
    return float(np.average(best, weights=weights))


def _best(similarity: Matrix, axis: int) -> Scores:
    """The best match of each row or column, none below 0; 0 where there is nothing to match."""
    return np.asarray(similarity.max(axis=axis, initial=0.0))


def _terms(speech: SpeechText) -> set[str]:
    return {stem for sentence in speech.content_stems for stem in sentence}
