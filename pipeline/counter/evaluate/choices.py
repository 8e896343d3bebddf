"""Whom each opposing speech answers, if anybody: what a trained ranker says, and how often it is right."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.counter.evaluate.learning import Scored
from pipeline.counter.evaluate.rows import Line, accuracy_figures
from pipeline.counter.ranker import Ranker
from pipeline.evaluation.result import Row

# Debates with known answers: IBM's recorded debates, or a corpus folder whose manifest says who answers whom.


# Whom each opposing speech answers, if anybody: what a trained ranker says, and how often it is right.


class Choice(NamedTuple):
    """The choice for one opposing speech: the probability that it answers anybody, and whether it really does.

    `right` says whether the choice is right, `right_without` whether the likeliest supporting speech is right.
    """

    probability: float
    somebody: bool
    right: bool
    right_without: bool


def choices(scored: Scored, ranker: Ranker) -> list[Choice]:
    """The choice for every opposing speech of a debate that may answer somebody in it."""
    assert ranker.attribution is not None
    debate, table = scored
    combined = ranker.combined(table, debate.allowed)
    probabilities = ranker.attribution.probabilities(table, combined, debate.allowed)
    best = np.where(debate.allowed, combined, -np.inf).argmax(axis=0)
    found = []
    for column in np.flatnonzero(debate.judged):
        somebody = bool(debate.answers_somebody[column])
        probability = float(probabilities[:, column].sum())
        is_best = bool(debate.answers[best[column], column])
        takes_nobody = probabilities[best[column], column] < 1 - probability
        found.append(Choice(probability, somebody, not somebody if takes_nobody else is_best, is_best))
    return found


def choice_rows(transcript: str, found: Mapping[str, Sequence[Sequence[Choice]]]) -> Iterator[Row]:
    """Accuracy over all opposing speeches, and how well those are told that answer nobody; one group per setting.

    `brier` is the mean square of the probability's error, `brier_of_share` that of always giving the share.
    """
    for setting, motions in found.items():
        everything = [choice for motion in motions for choice in motion]
        if not everything:
            continue
        line = Line(transcript, "who is answered", setting, "learned", "")._asdict()
        always = accuracy_figures([[choice.right_without for choice in motion] for motion in motions])
        yield {**line, "method": "always somebody", **always, "questions": len(everything)}
        probabilities = np.array([each.probability for each in everything])
        somebody = np.array([each.somebody for each in everything])
        yield {
            **line,
            **accuracy_figures([[choice.right for choice in motion] for motion in motions]),
            "brier": float(((probabilities - somebody) ** 2).mean()),
            "brier_of_share": float(somebody.mean() * (1 - somebody.mean())),
            "answer_nobody": int((~somebody).sum()),
            "questions": len(everything),
        }
