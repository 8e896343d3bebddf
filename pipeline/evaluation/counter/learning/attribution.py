"""Learning when an opposing speech answers nobody.

Speeches that answer nobody are made: a supporting speech is left out of its motion, so that its answers answer nobody
who is left.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pipeline.argue.counter.attribution import Attribution, best_scores, shares
from pipeline.argue.counter.method import score_table
from pipeline.argue.counter.ranker import Ranker, Table
from pipeline.argue.counter.word_movers.aggregation import Configuration
from pipeline.arrays import Mask, Matrix, Vector
from pipeline.evaluation.counter.debates import AnsweredDebate
from pipeline.evaluation.counter.resources import Resources

_INVERSE_PENALTY = 1 / 6
_MOST_SHARPNESS = 20.0

# A debate, and its scores by each method.
Scored = tuple[AnsweredDebate, Table]


def scored(debate: AnsweredDebate, resources: Resources, configuration: Configuration | None) -> Scored:
    """The debate with its scores by the methods of a run."""
    methods = resources.run_methods(debate.speeches, configuration)
    return debate, score_table(methods, debate.supporting, debate.opposing, debate.allowed)


def left_out(debate: AnsweredDebate) -> Iterator[AnsweredDebate]:
    """The debate without each of its supporting speeches in turn, as long as one is left."""
    for row in range(len(debate.supporting) if len(debate.supporting) > 1 else 0):
        rest = debate.supporting[:row] + debate.supporting[row + 1 :]
        allowed, answers = (np.delete(each, row, axis=0) for each in (debate.allowed, debate.answers))
        yield replace(debate, supporting=rest, allowed=allowed, answers=answers)


def learn_attribution(whole: Sequence[Scored], resources: Resources, ranker: Ranker) -> Attribution | None:
    """Learn to tell an answer from a speech that answers nobody; None if the debates do not have both.

    The weights come from debates with a speech left out, many of whose opposing speeches answer nobody. The bias is
    then set for the whole debates, so that the expected share of answers is the real one. The intercept that came with
    the weights gives the bias for any other share.
    """
    from sklearn.linear_model import LogisticRegression

    parts = [scored(part, resources, ranker.configuration) for debate, _ in whole for part in left_out(debate)]
    if not parts:
        return None
    names = sorted(parts[0][1])
    features, labels = _features(parts, names)
    if labels.all() or not labels.any():
        return None
    centre, scale = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    model = LogisticRegression(C=_INVERSE_PENALTY, tol=1e-8, max_iter=1000).fit((features - centre) / scale, labels)
    weights = model.coef_[0] / scale
    even = float(model.intercept_[0] - centre @ weights - np.log(labels.mean() / (1 - labels.mean())))
    of_whole, really = _features(whole, names)
    share = (really.sum() + 1) / (len(really) + 2)
    by_name = dict(zip(names, map(float, weights), strict=True))
    return Attribution(by_name, _bias(of_whole @ weights, share), _sharpness(whole, ranker), even)


def _features(examples: Sequence[Scored], names: Sequence[str]) -> tuple[Matrix, Mask]:
    """The best score of every opposing speech by each method, and whether it answers somebody."""
    best = [(debate.judged, best_scores(table, debate.allowed)) for debate, table in examples]
    rows = [np.stack([found[name][judged] for name in names], axis=1) for judged, found in best]
    return np.concatenate(rows), np.concatenate([each.answers_somebody[each.judged] for each, _ in examples])


def _bias(logits: Vector, share: float) -> float:
    """The bias under which the mean probability is this share."""
    from scipy.optimize import brentq

    def excess(bias: float) -> float:
        return float((1 / (1 + np.exp(-(logits + bias)))).mean() - share)

    return float(brentq(excess, -logits.max() - 50, -logits.min() + 50))


def _sharpness(examples: Sequence[Scored], ranker: Ranker) -> float:
    """The sharpness that makes known answers likeliest, over the speeches that answer somebody."""
    from scipy.optimize import minimize_scalar

    combined = [(debate, ranker.combined(table, debate.allowed)) for debate, table in examples]

    def loss(sharpness: float) -> float:
        total = 0.0
        for debate, scores in combined:
            right = (shares(scores, debate.allowed, sharpness) * debate.answers).sum(axis=0)
            total -= float(np.log(np.maximum(right[debate.answers_somebody], 1e-12)).sum())
        return total

    return float(minimize_scalar(loss, bounds=(0.0, _MOST_SHARPNESS), method="bounded").x)
