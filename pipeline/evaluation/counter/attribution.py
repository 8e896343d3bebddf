"""Learning when an opposing speech answers nobody, and how well this works.

Speeches that answer nobody are made: a supporting speech is left out of its motion, so that its answers answer nobody
who is left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pipeline.argue.counter.attribution import Attribution, best_scores, shares
from pipeline.argue.counter.candidates import allowed_pairs
from pipeline.argue.counter.method import METHODS, build, members, score_table
from pipeline.argue.counter.ranker import Ranker, Table
from pipeline.arrays import Mask, Matrix, Vector
from pipeline.evaluation.counter.debates import AnsweredDebate
from pipeline.evaluation.counter.questions import Line
from pipeline.evaluation.counter.resources import Resources
from pipeline.evaluation.result import Row
from pipeline.measures.intervals import bootstrap_interval

_PENALTY = 3.0
_MOST_SHARPNESS = 20.0


@dataclass(frozen=True, eq=False)
class Scored:
    """A motion's scores, and which of its pairs are speech and answer."""

    table: Table
    combined: Matrix
    allowed: Mask
    answers: Mask

    @property
    def judged(self) -> Mask:
        """The opposing speeches that may answer somebody here."""
        return np.asarray(self.allowed.any(axis=0))


def scored(debate: AnsweredDebate, resources: Resources, ranker: Ranker) -> Scored:
    """The scores of a debate by the methods of a run."""
    allowed = allowed_pairs(debate.supporting, debate.opposing)
    methods = build(members(METHODS), resources.given(debate.speeches, ranker))
    table = score_table(methods, debate.supporting, debate.opposing, allowed)
    return Scored(table, ranker.combined(table, allowed), allowed, debate.answers & allowed)


def left_out(debate: AnsweredDebate) -> Iterator[AnsweredDebate]:
    """The debate without each of its supporting speeches in turn, as long as one is left."""
    for row in range(len(debate.supporting) if len(debate.supporting) > 1 else 0):
        rest = tuple(speech for number, speech in enumerate(debate.supporting) if number != row)
        yield replace(debate, supporting=rest, answers=np.delete(debate.answers, row, axis=0))


def learn_attribution(debates: Sequence[AnsweredDebate], resources: Resources, ranker: Ranker) -> Attribution | None:
    """Learn to tell an answer from a speech that answers nobody; None if the debates do not have both.

    The weights come from debates with a speech left out, many of whose opposing speeches answer nobody. The bias is
    then set for the whole debates, so that the expected share of answers is the real one. The intercept that came with
    the weights gives the bias for any other share.
    """
    whole = [scored(debate, resources, ranker) for debate in debates]
    parts = [scored(part, resources, ranker) for debate in debates for part in left_out(debate)]
    names = sorted(set.intersection(*(set(each.table) for each in parts))) if parts else []
    features, labels = _features(parts, names)
    if labels.all() or not labels.any():
        return None
    centre, scale = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    standard, intercept = _logistic((features - centre) / scale, labels)
    weights = standard / scale
    even = float(intercept - centre @ weights - np.log(labels.mean() / (1 - labels.mean())))
    of_whole, really = _features(whole, names)
    share = (really.sum() + 1) / (len(really) + 2)
    return Attribution(
        dict(zip(names, map(float, weights), strict=True)), _bias(of_whole @ weights, share), _sharpness(whole), even
    )


def _features(examples: Sequence[Scored], names: Sequence[str]) -> tuple[Matrix, Mask]:
    """The best score of every opposing speech by each method, and whether it answers somebody."""
    rows, labels = [np.zeros((0, len(names)))], [np.zeros(0, dtype=np.bool_)]
    for each in examples:
        best = best_scores({name: each.table[name] for name in names}, each.allowed)
        rows.append(np.stack([best[name][each.judged] for name in names], axis=1))
        labels.append(np.asarray(each.answers.any(axis=0))[each.judged])
    return np.concatenate(rows), np.concatenate(labels)


def _logistic(features: Matrix, labels: Mask) -> tuple[Vector, float]:
    """The weights of a logistic regression, with a penalty on large ones, and its intercept."""
    from scipy.optimize import minimize

    signs = np.where(labels, 1.0, -1.0)
    inputs = np.column_stack([features, np.ones(len(features))])

    def objective(weights: Vector) -> tuple[float, Vector]:
        margins = signs * (inputs @ weights)
        wrong = 1 / (1 + np.exp(margins))
        gradient = -(inputs * (signs * wrong)[:, None]).sum(axis=0)
        penalty = np.append(weights[:-1], 0.0)
        return float(np.logaddexp(0, -margins).sum() + _PENALTY * penalty @ penalty), gradient + 2 * _PENALTY * penalty

    found = minimize(objective, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(found.x[:-1]), float(found.x[-1])


def _bias(logits: Vector, share: float) -> float:
    """The bias under which the mean probability is this share."""
    from scipy.optimize import brentq

    def excess(bias: float) -> float:
        return float((1 / (1 + np.exp(-(logits + bias)))).mean() - share)

    return float(brentq(excess, -logits.max() - 50, -logits.min() + 50))


def _sharpness(examples: Sequence[Scored]) -> float:
    """The sharpness that makes known answers likeliest, over the speeches that answer somebody."""
    from scipy.optimize import minimize_scalar

    def loss(sharpness: float) -> float:
        total = 0.0
        for each in examples:
            right = (shares(each.combined, each.allowed, sharpness) * each.answers).sum(axis=0)
            total -= float(np.log(np.maximum(right[each.answers.any(axis=0)], 1e-12)).sum())
        return total

    return float(minimize_scalar(loss, bounds=(0.0, _MOST_SHARPNESS), method="bounded").x)


class Choice(NamedTuple):
    """The choice for one opposing speech: the probability that it answers anybody, and whether it really does.

    `right` says whether the choice is right, `right_without` whether the likeliest supporting speech is right.
    """

    probability: float
    somebody: bool
    right: bool
    right_without: bool


def choices(each: Scored, attribution: Attribution) -> list[Choice]:
    """The choice for every opposing speech of a debate that may answer somebody in it."""
    probabilities = attribution.probabilities(each.table, each.combined, each.allowed)
    best = np.where(each.allowed, each.combined, -np.inf).argmax(axis=0)
    found = []
    for column in np.flatnonzero(each.judged):
        somebody = bool(each.answers[:, column].any())
        probability = float(probabilities[:, column].sum())
        is_best = bool(each.answers[best[column], column])
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
        probabilities = np.array([each.probability for each in everything])
        somebody = np.array([each.somebody for each in everything])
        line = Line(transcript, "who is answered", setting, "learned", "")._asdict()
        for method, which in (("always somebody", "right_without"), ("learned", "right")):
            right = [[float(getattr(each, which)) for each in motion] for motion in motions if motion]
            low, high = bootstrap_interval(right, lambda drawn: float(np.mean([r for motion in drawn for r in motion])))
            accuracy = float(np.mean([value for motion in right for value in motion]))
            yield {**line, "method": method, "accuracy": accuracy, "accuracy_low": low, "accuracy_high": high} | (
                {
                    "brier": float(((probabilities - somebody) ** 2).mean()),
                    "brier_of_share": float(somebody.mean() * (1 - somebody.mean())),
                    "answer_nobody": int((~somebody).sum()),
                    "questions": len(everything),
                }
                if method == "learned"
                else {"questions": len(everything)}
            )
