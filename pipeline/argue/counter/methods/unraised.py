"""unraised: issues that the candidate attributes to the other side, and that the supporting speech did not raise."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.comparison.matches import best_matches, each_candidate
from pipeline.argue.counter.comparison.similarity import SentenceSimilarity
from pipeline.argue.counter.method import CounterMethod
from pipeline.argue.counter.texts.reports import reported_issues
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector


class Unraised:
    """Speaks against a candidate: 0 at best.

    An issue that the supporting speech raised matches one of its sentences at least as well as the candidate's other
    sentences do. The score is how far the reported issues fall short of these sentences' lower quartile, on average.
    """

    def __init__(self, similarity: SentenceSimilarity) -> None:
        self.similarity = similarity

    def scores(self, supporting: SpeechText, candidates: Sequence[SpeechText]) -> Vector:
        return each_candidate(candidates, lambda candidate: self._score(supporting, candidate))

    def _score(self, supporting: SpeechText, candidate: SpeechText) -> float:
        issues, places = reported_issues(candidate, supporting.speakers)
        if not issues.sentences or not supporting.sentences:
            return 0.0
        matched = best_matches(self.similarity(supporting, issues), axis=0)
        everything = best_matches(self.similarity(supporting, candidate), axis=0)
        others = np.delete(everything, places)
        usual = np.quantile(others if len(others) else everything, 0.25)
        return float(np.minimum(matched - usual, 0.0).mean())


METHOD = CounterMethod(
    "unraised",
    "answers nothing that was not said",
    place=135,
    build=lambda given: Unraised(given.relations.similarity),
)
