"""unraised: issues that the candidate attributes to the other side, and that the supporting speech did not raise."""

from functools import partial

import numpy as np

from pipeline.counter.comparison import SentenceSimilarity, best_matches
from pipeline.counter.method import CounterMethod, by_pair
from pipeline.counter.reports import reported_issues
from pipeline.counter.texts import SpeechText


def unraised(similarity: SentenceSimilarity, supporting: SpeechText, candidate: SpeechText) -> float:
    """Speaks against a candidate: 0 at best.

    An issue that the supporting speech raised matches one of its sentences at least as well as the candidate's other
    sentences do. The score is how far the reported issues fall short of these sentences' lower quartile, on average.
    """
    issues, places = reported_issues(candidate, supporting.speakers)
    if not issues.sentences or not supporting.sentences:
        return 0.0
    matched = best_matches(similarity(supporting, issues), axis=0)
    everything = best_matches(similarity(supporting, candidate), axis=0)
    others = np.delete(everything, places)
    usual = np.quantile(others if len(others) else everything, 0.25)
    return float(np.minimum(matched - usual, 0.0).mean())


METHOD = CounterMethod(
    "unraised",
    "answers nothing that was not said",
    place=135,
    build=lambda given: by_pair(partial(unraised, given.relations.similarity)),
)
