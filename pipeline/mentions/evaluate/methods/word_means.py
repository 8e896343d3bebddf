"""'w2v' as published: texts as tf-idf weighted means of word vectors."""

from collections.abc import Iterator

from pipeline.mentions.evaluate.encoders import WordMeanEncoder, inverse_document_frequencies
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest, similarities

PLACE = 1


def scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    """Word frequencies are those of the speeches to train on."""
    sentences = data.training.sentences(data.training_transcript)
    encoder = WordMeanEncoder(resources.words, inverse_document_frequencies(sentences))
    yield from similarities("w2v", encoder, data)
