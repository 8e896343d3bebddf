"""'w2v' as published: texts as tf-idf weighted means of word vectors."""

from collections.abc import Iterator

from pipeline.evaluation.listening.encoders.word_mean import WordMeanEncoder, inverse_document_frequencies
from pipeline.evaluation.listening.lists import similarities
from pipeline.evaluation.listening.scoring import MethodScores, Resources, TrainAndTest

PLACE = 1


def scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    """Word frequencies are those of the speeches to train on."""
    sentences = data.training.sentences(data.training_transcript)
    encoder = WordMeanEncoder(resources.words, inverse_document_frequencies(sentences))
    yield from similarities("w2v", encoder, data)
