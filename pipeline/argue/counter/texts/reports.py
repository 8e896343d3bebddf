"""Sentences that report the other side, and whether they make an opposing speech an explicit response.

An explicit response opens by restating the other side ('the first thing that was brought up ...', 'Anna told us that
...') and goes on doing so; an implicit one was recorded after hearing the speech, and never refers to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pipeline.argue.counter.texts.cues import attributes, names_spoken, reported
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Vector

OPENING = 1 / 3
_FEWEST_WORDS = 5
# Chosen by thought, not fitted: one report in the opening is an aside, two are a method; later reports count half.
_WEIGHT, _LATER, _BIAS = 2.0, 1.0, -3.0


@dataclass(frozen=True)
class ResponseJudgement:
    """How probable it is that a speech is an explicit response, and which sentences say so."""

    probability: float
    reports: tuple[int, ...]

    @property
    def is_explicit(self) -> bool:
        return self.probability >= 0.5


def judge_response(opposing: SpeechText, opponents: Sequence[str] = ()) -> ResponseJudgement:
    """Judge an opposing speech by its sentences that report the other side, or name one of its speakers."""
    names = names_spoken(opponents)
    reports = [index for index, text in enumerate(opposing.sentences) if attributes(text, names)]
    opening = sum(index < OPENING * len(opposing.sentences) for index in reports)
    logit = _BIAS + _WEIGHT * opening + _LATER * (len(reports) - opening)
    return ResponseJudgement(float(1 / (1 + np.exp(-logit))), tuple(reports))


def report_weights(candidate: SpeechText, speakers: Sequence[str]) -> Vector:
    """1 for a sentence that reports what the other side said, or names its speaker; 0.5 for the sentence after it."""
    names = names_spoken(speakers)
    reports = np.array([attributes(text, names) for text in candidate.sentences], dtype=np.float64)
    return np.asarray(np.maximum(reports, np.concatenate([np.zeros(1), reports[:-1]])[: len(reports)] / 2))


@lru_cache(maxsize=10_000)
def reported_issues(candidate: SpeechText, speakers: tuple[str, ...]) -> tuple[SpeechText, tuple[int, ...]]:
    """The issues that a candidate attributes to these speakers or their side, as sentences, and where it reports them.

    A report that says hardly anything itself ('Here are two answers.') is read with the next sentence.
    """
    names = names_spoken(speakers)
    places = [index for index, text in enumerate(candidate.sentences) if attributes(text, names)]
    issues = []
    for index in places:
        issue = reported(candidate.sentences[index])
        if len(issue.split()) < _FEWEST_WORDS:
            issue = " ".join(candidate.sentences[index : index + 2])
        issues.append(issue)
    return SpeechText(f"{candidate.id}: reports", tuple(issues)), tuple(places)
