"""The labelled lists of a data set as a detector is trained on them."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.mentions.features import feature_table
from pipeline.argue.mentions.similarity import (
    ArgumentVectors,
    SpeechVectors,
    argument_vectors,
    mean_of_sentences,
    speech_vectors,
)
from pipeline.evaluation.listening.data import Listening, Pair
from pipeline.evaluation.listening.fitting import LabelledList
from pipeline.evaluation.listening.word_mean import WordMeanEncoder, as_one_text
from pipeline.text.encoders.sentence_encoder import Encoder


def vectors(encoder: Encoder, pairs: Sequence[Pair], sentences: Sequence[str]) -> tuple[ArgumentVectors, SpeechVectors]:
    """A list's arguments and its speech."""
    passage = as_one_text if isinstance(encoder, WordMeanEncoder) else mean_of_sentences
    arguments = argument_vectors(encoder, [pair.title for pair in pairs], [pair.text for pair in pairs], passage)
    return arguments, speech_vectors(encoder, sentences, passage)


def examples(data: Listening, transcript: str, encoder: Encoder) -> list[LabelledList]:
    """A list a speech; where nobody's votes are known, the label stands for the share of people who heard it."""
    return [
        LabelledList(
            group=pairs[0].motion,
            motion=pairs[0].motion_text,
            titles=tuple(pair.title for pair in pairs),
            table=feature_table(*vectors(encoder, pairs, data.transcripts[transcript][pairs[0].speech])),
            labels=np.array([pair.mentioned for pair in pairs]),
            shares=np.array([_share(pair) for pair in pairs]),
        )
        for pairs in data.lists()
    ]


def _share(pair: Pair) -> float:
    if pair.votes_yes is None or pair.votes_no is None or not pair.votes_yes + pair.votes_no:
        return float(pair.mentioned)
    return pair.votes_yes / (pair.votes_yes + pair.votes_no)
