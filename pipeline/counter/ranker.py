"""All scores of a motion combined into one: by fixed weights, or by weights learned from motions with known answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import scipy

from pipeline.arrays import Mask, Matrix, Vector
from pipeline.counter.method import run_methods
from pipeline.counter.word_movers import Configuration
from pipeline.errors import RostrumError
from pipeline.system.files import read_file, write_file

_DECIMALS = 9
# Matrix by method: one row per supporting speech, one column per opposing one.
Table = Mapping[str, Matrix]


@dataclass(frozen=True)
class Attribution:
    """Probabilities that were learned from known answers.

    Whether an opposing speech answers somebody follows from the weighted sum of its best scores with any supporting
    speech. Whom it answers follows from the combined scores, which `sharpness` turns into odds. A supporting speech may
    have any number of answers. `bias` is for the share of answers in the debates it was learned from; `even_bias` is
    for a share of one half.
    """

    weights: Mapping[str, float]
    bias: float
    sharpness: float
    even_bias: float

    def for_share(self, share: float) -> "Attribution":
        """The same for debates in which this share of the opposing speeches, above 0 and below 1, answers somebody.

        >>> round(Attribution({}, bias=9.0, sharpness=1.0, even_bias=0.5).for_share(0.75).bias, 4)  # 0.5 + log 3
        1.5986
        """
        return replace(self, bias=self.even_bias + float(np.log(share / (1 - share))))

    def answers_somebody(self, table: Mapping[str, Matrix], allowed: Mask) -> Vector:
        """How probable it is of each opposing speech that it answers one of the supporting speeches."""
        best = best_scores({name: table[name] for name in self.weights}, allowed)
        logits = self.bias + sum(weight * best[name] for name, weight in self.weights.items())
        return np.where(allowed.any(axis=0), 1 / (1 + np.exp(-logits)), 0.0)

    def probabilities(self, table: Mapping[str, Matrix], combined: Matrix, allowed: Mask) -> Matrix:
        """One row per supporting speech; a column's sum falls short of 1 by the probability that it answers nobody."""
        return self.answers_somebody(table, allowed) * shares(combined, allowed, self.sharpness)


@dataclass(frozen=True)
class Ranker:
    """One weight for each method. `configuration` is that of SD-e, tuned with them.

    With an `attribution` it also knows how probable it is that an opposing speech answers nobody. With `reasons`, pairs
    are explained by these weights and not by those that rank them.
    """

    weights: Mapping[str, float]
    configuration: Configuration | None = None
    attribution: Attribution | None = None
    reasons: Mapping[str, float] = field(default_factory=dict)

    @property
    def uses(self) -> set[str]:
        """The methods that it looks at."""
        known = self.attribution.weights if self.attribution else {}
        return {name for name, weight in {**self.weights, **self.reasons}.items() if weight} | known.keys()

    @classmethod
    def untrained(cls) -> "Ranker":
        """The weights that the methods themselves name."""
        return cls({method.name: method.weight for method in run_methods() if method.weight})

    @classmethod
    def by_method(cls, name: str) -> "Ranker":
        """Ranks by one method alone, SD-e by its default configuration; the untrained ranker's methods are reasons."""
        return cls({name: 1.0}, Configuration() if name == "SD-e" else None, reasons=cls.untrained().weights)

    def for_share(self, answered: float) -> "Ranker":
        """The same for debates in which this share of the opposing speeches answers somebody."""
        if self.attribution is None:
            raise RostrumError("counter.answered: only a trained ranker knows who answers nobody; set counter.ranker")
        return replace(self, attribution=self.attribution.for_share(answered))

    def parts(self, table: Table, allowed: Mask) -> dict[str, Matrix]:
        """Each method's part of each pair's score, by weights that sum to 1."""
        return _parts(self.reasons or self.weights, table, allowed, standardised)

    def combined(self, table: Table, allowed: Mask, *, by_row: bool = False) -> Matrix:
        """One score for each pair.

        Scores are standardised over all allowed pairs of the motion, or `by_row`, over one speech's candidates alone.
        Of two candidates every method then names one, so that sums are often equal: their last bits decide nothing.
        """
        parts = _parts(self.weights, table, allowed, standardised_rows if by_row else standardised)
        total = np.asarray(sum(parts.values(), np.zeros(allowed.shape)))
        return total.round(_DECIMALS) if by_row else total

    def save(self, path: Path) -> None:
        """Write the ranker as JSON, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "format": 1,
            "weights": dict(self.weights),
            "configuration": asdict(self.configuration) if self.configuration else {},
            "attribution": asdict(self.attribution) if self.attribution else None,
        }
        write_file(path, json.dumps(content, indent=1).encode(), replace=True)

    @classmethod
    def load(cls, path: Path) -> "Ranker":
        """A ranker that `save` wrote."""
        try:
            content = json.loads(read_file(path))
            weights = {str(name): float(weight) for name, weight in content["weights"].items()}
            tuned, attribution = content["configuration"], content["attribution"]
            configuration = Configuration(**tuned) if tuned else None
            return cls(weights, configuration, Attribution(**attribution) if attribution else None)
        except OSError as error:
            raise RostrumError(f"{path}: cannot read the ranker: {error.strerror}") from error
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise RostrumError(f"{path}: not a ranker; make one with: rostrum train counter --data DIR") from error


def _parts(
    weights: Mapping[str, float], table: Table, allowed: Mask, standard: Callable[[Matrix, Mask], Matrix]
) -> dict[str, Matrix]:
    total = sum(weights.values()) or 1.0
    return {name: weight / total * standard(table[name], allowed) for name, weight in weights.items() if weight}


def standardised(scores: Matrix, allowed: Mask) -> Matrix:
    """Mean 0 and deviation 1 over the allowed pairs; zeros where all are equal."""
    values = scores[allowed]
    deviation = values.std() if values.size else 0.0
    if deviation < 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0))):
        return np.zeros_like(scores)
    return np.asarray((scores - values.mean()) / deviation)


def standardised_rows(scores: Matrix, allowed: Mask) -> Matrix:
    """Each row standardised over its own allowed pairs."""
    rows = [standardised(scores[[row]], allowed[[row]]) for row in range(len(scores))]
    return np.concatenate(rows) if rows else scores


# The best assignment of a motion's speeches: an opposing speech answers one supporting speech at most.

# Worse than any sum of scores, and small enough that adding it does not round their differences away.
_FORBIDDEN = -1e6
# At this value a pair is the only one possible; below its negative, the pair makes another speech's impossible.
DECISIVE = 1e5


def marginal_values(scores: Matrix, allowed: Mask, row: int | None = None) -> Matrix:
    """The marginal value of each pair: the best assignment's total with the pair, less the best without it.

    Rows are the supporting speeches, columns the opposing ones. An assignment gives each supporting speech one opposing
    speech, as long as there are any, and gives no opposing speech twice. The pairs of the best assignment are above 0.
    Pairs that are not allowed are `-inf`; with a `row`, so are the pairs of all other rows.
    """
    values = np.where(allowed, scores, _FORBIDDEN)
    marginal = np.full(scores.shape, -np.inf)
    rows, columns = scipy.optimize.linear_sum_assignment(values, maximize=True)
    best, assigned = float(values[rows, columns].sum()), set(zip(rows, columns, strict=True))
    wanted = allowed if row is None else allowed & (np.arange(len(allowed)) == row)[:, None]
    for one, other in np.argwhere(wanted):
        without = best
        if (one, other) in assigned:
            barred = values.copy()
            barred[one, other] = _FORBIDDEN
            without = _total(barred)
        rest = np.delete(np.delete(values, one, axis=0), other, axis=1)
        marginal[one, other] = values[one, other] + _total(rest) - without
    return marginal


def several_answers(scores: Matrix, allowed: Mask, nobody: Vector | None = None) -> Matrix:
    """The marginal value of each pair where a supporting speech may have several answers, or none.

    Every opposing speech answers the supporting speech with which it scores highest, or nobody, where the score of
    `nobody` is higher. A pair's value is its score less the best of all else that the opposing speech might do.

    >>> several_answers(np.array([[3.0, 2.0], [1.0, 1.5]]), np.ones((2, 2), dtype=bool), nobody=np.array([0.0, 2.5]))
    array([[ 2. , -0.5],
           [-2. , -1. ]])
    """
    values = np.where(allowed, scores, -np.inf)
    nobody = np.full(values.shape[1], -np.inf) if nobody is None else nobody
    marginal = np.full(scores.shape, -np.inf)
    for row in range(len(values)):
        others = np.delete(values, row, axis=0).max(axis=0, initial=-np.inf)
        best = np.maximum(others, nobody)
        alone = np.where(np.isneginf(best), DECISIVE, values[row] - np.where(np.isneginf(best), 0.0, best))
        marginal[row] = np.where(allowed[row], alone, -np.inf)
    return marginal


def _total(values: Matrix) -> float:
    return float(values[scipy.optimize.linear_sum_assignment(values, maximize=True)].sum())


def best_scores(table: Mapping[str, Matrix], allowed: Mask) -> dict[str, Vector]:
    """Each opposing speech's (column's) best score with a supporting speech, by method; 0 if none is allowed."""
    possible = allowed.any(axis=0)
    return {
        name: np.where(possible, np.where(allowed, scores, -np.inf).max(axis=0, initial=-np.inf), 0.0)
        for name, scores in table.items()
    }


def shares(combined: Matrix, allowed: Mask, sharpness: float) -> Matrix:
    """Each column as a distribution over its allowed rows, by a softmax of the scores."""
    logits = np.where(allowed, sharpness * combined, -np.inf)
    highest = logits.max(axis=0, initial=-np.inf, keepdims=True)
    odds = np.where(allowed, np.exp(logits - np.where(np.isfinite(highest), highest, 0.0)), 0.0)
    total = odds.sum(axis=0, keepdims=True)
    return np.asarray(np.divide(odds, total, out=np.zeros_like(odds), where=total > 0))
