"""What a counter-speech method is, what it is built from, and the table of all methods' scores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pipeline.arrays import Mask, Matrix, Vector
from pipeline.counter.comparison import Relations
from pipeline.counter.texts import SpeechText, Vocabularies
from pipeline.counter.word_movers import Configuration, MoverSimilarity
from pipeline.family import Family

FOLDER = Family("pipeline.counter.methods", "counter method")

# Scores candidates by how likely each was recorded in answer to the supporting speech; more is likelier. A candidate's
# score does not depend on the order of the candidates, and identical candidates score the same. An empty speech, on
# either side, scores 0. Without candidates the result is empty.
Method = Callable[[SpeechText, Sequence[SpeechText]], Vector]


@dataclass(frozen=True)
class Given:
    """The inputs that methods are built from.

    `speeches` are all speeches of the motion: they tell how rare a term is. `configuration` is that of SD-e, tuned with
    a trained ranker. `movers` is None where there are no word vectors.
    """

    relations: Relations
    vocabularies: Vocabularies = field(default_factory=Vocabularies.open)
    speeches: Sequence[SpeechText] = ()
    movers: MoverSimilarity | None = None
    configuration: Configuration | None = None


@dataclass(frozen=True)
class CounterMethod:
    """A method as its module lists it in `METHODS`.

    `label` names the method as a reason, in plain words. Rows of a table are sorted by `order`. `sees` is what a score
    depends on: the `pair` of speeches alone, or also the other `candidates`. `build` returns None if it lacks
    something; `needs` then says what, in the method's empty row. `weight` is the method's weight in the untrained
    ranker. `assigned` shows the method also by the best assignment of the whole motion.
    """

    name: str
    label: str
    order: int
    build: Callable[[Any], Method | None]
    sees: Literal["pair", "candidates"] = "pair"
    needs: str = ""
    weight: float = 0.0
    assigned: bool = False


def by_pair(score: Callable[[SpeechText, SpeechText], float]) -> Method:
    """The method that scores the candidates one by one."""
    return lambda supporting, candidates: np.array([score(supporting, other) for other in candidates], dtype=np.float64)


def run_methods() -> list[CounterMethod]:
    """Every method that a run can use, in the order of the table."""
    return in_order(method for module in FOLDER.all() for method in module.METHODS)


def in_order(methods: Iterable[CounterMethod]) -> list[CounterMethod]:
    """The methods in the order of the table."""
    return sorted(methods, key=lambda method: (method.order, method.name))


def build(methods: Iterable[CounterMethod], given: Given) -> dict[str, Method]:
    """The methods that can be built from what is given, by name."""
    built = ((method.name, method.build(given)) for method in methods)
    return {name: method for name, method in built if method is not None}


def score_table(
    methods: Mapping[str, Method], supporting: Sequence[SpeechText], opposing: Sequence[SpeechText], allowed: Mask
) -> dict[str, Matrix]:
    """Each method's scores: one row per supporting speech, one column per opposing one. Pairs not allowed score 0.

    Only allowed pairs are candidates: a speech that cannot be an answer does not change the others' scores.
    """
    order = sorted(range(len(opposing)), key=lambda column: opposing[column].id)
    table = {}
    for name, method in methods.items():
        scores = np.zeros(allowed.shape)
        for row, speech in enumerate(supporting):
            columns = [column for column in order if allowed[row, column]]
            scores[row, columns] = method(speech, [opposing[column] for column in columns])
        table[name] = scores
    return table
