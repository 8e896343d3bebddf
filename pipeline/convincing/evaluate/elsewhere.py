"""How good a model is on collections that it did not learn from, and the temperature that calibrates it there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Mask, Vector
from pipeline.convincing.evaluate.data import ArgumentPairs
from pipeline.convincing.preference import Learned, best_temperature, sigmoid
from pipeline.convincing.record import Agreement
from pipeline.convincing.representation import ENCODER, View, described
from pipeline.measures.intervals import bootstrap_interval, pooled_mean

# How good a model is on collections that it did not learn from, and the temperature that calibrates it there.


@dataclass(frozen=True)
class JudgedCollection:
    """A collection, and by how much a model prefers the text that people preferred, for each pair."""

    collection: ArgumentPairs
    differences: Vector

    @classmethod
    def of(cls, learned: Learned, view: View, collection: ArgumentPairs) -> "JudgedCollection":
        """The judgements of a model that sees the texts in this view."""
        from pipeline.text.encoders.sentence_encoder import load_encoder

        rows = described(collection.texts, collection.topic_of, view, load_encoder(ENCODER))
        utilities = learned.utilities(rows)
        return cls(collection, utilities[collection.winner] - utilities[collection.loser])


def temperature(judged: Sequence[JudgedCollection]) -> float:
    """The temperature that calibrates a model's probabilities over these collections, each counting the same."""
    return best_temperature(*(each.differences for each in judged))


def agreements(judged: Sequence[JudgedCollection]) -> tuple[Agreement, ...]:
    """The agreement on each collection, for pairs within a stance and across stances separately.

    Confidence uses the temperature of the other collections: a model always looks calibrated on what calibrated it.
    """
    found: list[Agreement] = []
    for each in judged:
        others = [other for other in judged if other is not each]
        found += _of_collection(each, temperature(others) if others else None)
    return tuple(found)


def _of_collection(judged: JudgedCollection, calibrated: float | None) -> Iterator[Agreement]:
    across = judged.collection.across_stances
    for crosses, chosen in ((False, ~across), (True, across)):
        if chosen.any():
            yield _agreement(judged, chosen, calibrated, across_stances=crosses)


def _agreement(judged: JudgedCollection, chosen: Mask, calibrated: float | None, *, across_stances: bool) -> Agreement:
    differences, topic = judged.differences[chosen], judged.collection.pair_topic[chosen]
    right = np.where(differences == 0, 0.5, (differences > 0).astype(np.float64))
    by_topic = [right[topic == number] for number in np.unique(topic)]
    low, high = bootstrap_interval(by_topic, lambda drawn: round(pooled_mean(drawn), 4))
    confidence = None if calibrated is None else float(sigmoid(calibrated * np.abs(differences)).mean())
    return Agreement(
        collection=judged.collection.name,
        across_stances=across_stances,
        pairs=len(right),
        accuracy=round(float(right.mean()), 4),
        accuracy_low=low,
        accuracy_high=high,
        confidence=None if confidence is None else round(confidence, 4),
    )
