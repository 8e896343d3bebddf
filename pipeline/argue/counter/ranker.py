"""All scores of a motion combined into one: by fixed weights, or by weights learned from motions with known answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.counter.speech_text import Scores
from pipeline.errors import RostrumError

Mask = NDArray[np.bool_]
Table = Mapping[str, Scores]  # by method, a row a supporting speech and a column an opposing one

# Every score that needs no training, alike: with no data there is no ground to trust one more than another. Cos and MI
# are left out, as JS and c-MI look at the same counts.
DEFAULT_WEIGHTS = dict.fromkeys(
    ("tf-idf", "JS", "c-MI", "ngrs", "mentions", "quotes", "comprehensive", "main issue", "order", "opposes"), 1.0
)
_PENALTIES = (0.3, 3.0, 30.0)


@dataclass(frozen=True)
class Ranker:
    """A weight a method. `configuration` is what else was tuned with them."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    configuration: Mapping[str, Any] = field(default_factory=dict)

    def parts(self, table: Table, allowed: Mask) -> dict[str, Scores]:
        """What each method gives to the combined score; the weights are relative to their sum."""
        total = sum(self.weights.values()) or 1.0
        return {
            name: weight / total * standardised(table[name], allowed) for name, weight in self.weights.items() if weight
        }

    def combined(self, table: Table, allowed: Mask) -> Scores:
        """One score for each pair."""
        return np.asarray(sum(self.parts(table, allowed).values(), np.zeros(allowed.shape)))

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"format": 1, "weights": dict(self.weights), "configuration": dict(self.configuration)}
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "Ranker":
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            weights = {str(name): float(weight) for name, weight in content["weights"].items()}
            return cls(weights, dict(content["configuration"]))
        except OSError as error:
            raise RostrumError(f"{path}: cannot read the ranker: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RostrumError(f"{path}: not a ranker; make one with: rostrum train counter --data DIR") from error


def standardised(scores: Scores, allowed: Mask) -> Scores:
    """Mean 0 and deviation 1 over the allowed pairs; zeros where all are equal."""
    values = scores[allowed]
    deviation = values.std() if values.size else 0.0
    if deviation < 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0))):
        return np.zeros_like(scores)
    return np.asarray((scores - values.mean()) / deviation)


@dataclass(frozen=True, eq=False)
class Example:
    """The scores of one motion and which pairs are speech and answer."""

    table: Table
    allowed: Mask
    answers: Mask


def learn(examples: Sequence[Example], names: Sequence[str], *, folds: int = 5) -> Ranker:
    """Weights under which answers stand out, both among the candidates and among the speeches they may answer.

    They maximise the likelihood of the answers less a penalty on their distance from equal weights; its strength is
    chosen by cross-validation over motions. No weight is negative: every score says 'answers', if it says anything.
    """
    choices = [_choices(example, names) for example in examples]
    folds = min(folds, len(choices))
    if folds < 2:
        return _ranker(_fitted(choices, len(names), _PENALTIES[-1]), names)
    parts = [range(start, len(choices), folds) for start in range(folds)]

    def loss(penalty: float) -> float:
        total = 0.0
        for part in parts:
            weights = _fitted([each for i, each in enumerate(choices) if i not in part], len(names), penalty)
            total += sum(_loss(weights, choices[index])[0] for index in part)
        return total

    return _ranker(_fitted(choices, len(names), min(_PENALTIES, key=loss)), names)


def _ranker(weights: Scores, names: Sequence[str]) -> Ranker:
    return Ranker({name: float(weight) for name, weight in zip(names, weights, strict=True)})


# One choice: the scores of what could be chosen, a row each, and which are right.
_Choice = tuple[NDArray[np.float64], Mask]


def _choices(example: Example, names: Sequence[str]) -> list[_Choice]:
    """Every choice with something right and something wrong to choose: rows, then columns."""
    scores = np.stack([standardised(example.table[name], example.allowed) for name in names], axis=-1)
    lines = [(scores[row], example.allowed[row], example.answers[row]) for row in range(len(scores))] + [
        (scores[:, col], example.allowed[:, col], example.answers[:, col]) for col in range(scores.shape[1])
    ]
    kept = ((line[allowed], answers[allowed]) for line, allowed, answers in lines)
    return [(line, answers) for line, answers in kept if answers.any() and not answers.all()]


def _fitted(motions: Sequence[Sequence[_Choice]], size: int, penalty: float) -> Scores:
    from scipy.optimize import minimize

    equal = np.full(size, 1 / size)
    choices = [choice for motion in motions for choice in motion]

    def objective(weights: Scores) -> tuple[float, Scores]:
        loss, gradient = _loss(weights, choices)
        away = weights - equal
        return loss + penalty * float(away @ away), gradient + 2 * penalty * away

    found = minimize(objective, equal, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * size)
    return np.asarray(found.x)


def _loss(weights: Scores, choices: Sequence[_Choice]) -> tuple[float, Scores]:
    """The negative log-likelihood of the right ones under a softmax, and its gradient."""
    loss, gradient = 0.0, np.zeros_like(weights)
    for scores, right in choices:
        values = scores @ weights
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        of_right = shares[right].sum()
        loss -= float(np.log(of_right))
        gradient += shares @ scores - (shares[right] / of_right) @ scores[right]
    return loss, gradient
