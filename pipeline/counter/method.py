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

METHODS = Family("pipeline.counter.methods", "counter method")


# Scores candidates by how likely each was recorded in answer to the supporting speech; more is likelier. A candidate's
# score does not depend on the order of the candidates, and identical candidates score the same. An empty speech, on
# either side, scores 0. Without candidates the result is empty.
Method = Callable[[SpeechText, Sequence[SpeechText]], Vector]


@dataclass(frozen=True)
class Given:
    """The inputs that methods are built from.

    `speeches` are all speeches at hand: they tell how rare a term is. `configuration` is that of SD-e, tuned with a
    trained ranker. `movers` is None where there are no word vectors.
    """

    relations: Relations
    vocabularies: Vocabularies = field(default_factory=Vocabularies.open)
    speeches: Sequence[SpeechText] = ()
    movers: MoverSimilarity | None = None
    configuration: Configuration | None = None


@dataclass(frozen=True)
class CounterMethod:
    """A method as its file registers it, under the name `METHOD`.

    `label` names the method as a reason, in plain words. Rows of a table are in the order of `place`. `sees` is what a
    score depends on: the `pair` of speeches alone, or also the other `candidates`. `build` returns None if it lacks
    something; `needs` then says what, in the method's empty row. `weight` is the method's weight in the untrained
    ranker. `assigned` shows the method also by the best assignment of the whole motion.
    """

    name: str
    label: str
    place: int
    build: Callable[[Any], Method | None]
    sees: Literal["pair", "candidates"] = "pair"
    needs: str = ""
    weight: float = 0.0
    assigned: bool = False


def build(entries: Iterable[CounterMethod], given: Given) -> dict[str, Method]:
    """The methods that can be built from what is given, by name."""
    built = ((entry.name, entry.build(given)) for entry in entries)
    return {name: method for name, method in built if method is not None}


def by_pair(score: Callable[[SpeechText, SpeechText], float]) -> Method:
    """The method that scores the candidates one by one."""
    return lambda supporting, candidates: np.array([score(supporting, each) for each in candidates], dtype=np.float64)


def members(*families: Family) -> list[CounterMethod]:
    """Every method of these families, in the order of the table."""
    found = [module.METHOD for family in families for module in family.all()]
    return sorted(found, key=lambda each: (each.place, each.name))


def labels() -> dict[str, str]:
    """What each method of a run is called as a reason, by name."""
    return {each.name: each.label for each in members(METHODS)}


def score_table(
    methods: Mapping[str, Method], supporting: Sequence[SpeechText], opposing: Sequence[SpeechText], allowed: Mask
) -> dict[str, Matrix]:
    """Each method's scores: one row per supporting speech, one column per opposing one. Pairs not allowed score 0.

    Only allowed pairs are candidates: a speech that cannot be an answer does not change the others' scores.
    """
    order = sorted(range(len(opposing)), key=lambda column: opposing[column].id)
    table = {}
    for name, method in methods.items():
        found = np.zeros(allowed.shape)
        for row, speech in enumerate(supporting):
            columns = [column for column in order if allowed[row, column]]
            found[row, columns] = method(speech, [opposing[column] for column in columns])
        table[name] = found
    return table


# Loads what the settings ask for: how sentences are compared, the ranker and its methods.
