"""Cross-encoders, which read a title together with the passages that are most similar to it by the first encoder."""

from collections.abc import Iterator

import numpy as np

from pipeline.arrays import Vector
from pipeline.mentions.evaluate.data import Listening
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest, vectors
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder

PLACE = 3
CANDIDATES = 5  # passages of the first pass that a cross-encoder reads


def scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    for model in resources.cross_encoders:
        yield _highest(model, resources.first_encoder, data)


def _highest(model: CrossEncoder, encoder: Encoder, data: TrainAndTest) -> MethodScores:
    """The highest score among the candidate passages."""

    def score(part: Listening, transcript: str) -> Vector:
        values = []
        for pairs in part.lists():
            sentences = part.transcripts[transcript][pairs[0].speech]
            arguments, speech = vectors(encoder, pairs, sentences)
            best = np.argsort(-(arguments.titles @ speech.units.T), axis=1)[:, :CANDIDATES]
            for pair, units in zip(pairs, best, strict=True):
                passages = [" ".join(sentences[slice(*speech.spans[unit])]) for unit in units]
                values.append(model.probabilities([(passage, pair.title) for passage in passages]).max())
        return np.array(values)

    return MethodScores(f"cross-encoder {model.name}", "title-window", *data.both(score))
