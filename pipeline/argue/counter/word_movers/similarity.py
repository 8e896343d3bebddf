"""Sentences' similarity by Word Mover's Distance, aggregated over two speeches."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.argue.counter.word_movers.aggregation import AGGREGATE, Aggregation, aggregated_by
from pipeline.argue.counter.word_movers.distances import SentenceDistances, SpeechWords, speech_words
from pipeline.arrays import Vector
from pipeline.text.encoders.word_vectors import WordVectors


class MoverSimilarity:
    """e: 1 / (1 + the Word Mover's Distance of two sentences), their stop words left out.

    The largest and smallest distance of a sentence are found by bounds; only averages and products need them all.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors
        self.solved = 0
        self._words: dict[SpeechText, SpeechWords] = {}
        self._known: dict[tuple[SpeechText, SpeechText, Aggregation], float] = {}

    def aggregated(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        missing = [each for each in wanted if (one, other, each) not in self._known]
        if missing:
            values = self._computed(one, other, missing)
            self._known.update({(one, other, each): float(value) for each, value in zip(missing, values, strict=True)})
        return np.array([self._known[one, other, each] for each in wanted])

    def _computed(self, one: SpeechText, other: SpeechText, wanted: Sequence[Aggregation]) -> Vector:
        distances = SentenceDistances(self._speech_words(one), self._speech_words(other))
        if 0 in distances.shape:
            return np.zeros(len(wanted))
        if {first for first, _ in wanted} <= {"max", "min"}:
            nearest = {"max": distances.smallest, "min": distances.largest}
            inner = {first: 1 / (1 + nearest[first]()) for first in {first for first, _ in wanted}}
            values = np.array([AGGREGATE[second](inner[first]) for first, second in wanted])
        else:
            values = aggregated_by(1 / (1 + distances.all), wanted)
        self.solved += distances.solved
        return values

    def _speech_words(self, speech: SpeechText) -> SpeechWords:
        if speech not in self._words:
            self._words[speech] = speech_words(speech, self.vectors)
        return self._words[speech]
