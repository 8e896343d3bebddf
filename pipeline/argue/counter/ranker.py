"""All scores of a motion combined into one: by fixed weights, or by weights learned from motions with known answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from pipeline.argue.counter.attribution import Attribution
from pipeline.argue.counter.method import METHODS, members
from pipeline.argue.counter.word_movers.aggregation import Configuration
from pipeline.arrays import Mask, Matrix
from pipeline.errors import RostrumError
from pipeline.system.files import read_file, write_file

# Matrix by method: one row per supporting speech, one column per opposing one.
Table = Mapping[str, Matrix]


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
        return cls({each.name: each.weight for each in members(METHODS) if each.weight})

    @classmethod
    def by_tf_idf(cls) -> "Ranker":
        """Ranks by tf-idf alone; the methods of the untrained ranker are its reasons."""
        return cls({"tf-idf": 1.0}, reasons=cls.untrained().weights)

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
        """
        parts = _parts(self.weights, table, allowed, standardised_rows if by_row else standardised)
        return np.asarray(sum(parts.values(), np.zeros(allowed.shape)))

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
            tuned, attribution = content["configuration"], content.get("attribution")
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
