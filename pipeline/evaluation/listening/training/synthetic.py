"""Speeches put together from ArgKP's arguments: what the shipped detectors are trained on.

People said which key points an argument makes. Several arguments of one side, one after the other and heard as in a
speech, mention those key points and no others of its side. Which arguments they are is left to chance, so that key
points that many people make are heard often, as they are in debates.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher
from pipeline.argue.mentions.detector import GENERALITY
from pipeline.argue.mentions.features import LIKENESS, POINTS, feature_table, point_scores
from pipeline.argue.mentions.similarity import argument_vectors, speech_vectors
from pipeline.evaluation.keypoints.data import UNDECIDED, Group, Part
from pipeline.evaluation.listening.training.fitting import LabelledList
from pipeline.evaluation.listening.training.spoken import Speaker
from pipeline.text.encoders.sentence_encoder import Encoder

SPEECHES_PER_SIDE = 40
SHORTEST_LIST = 3  # in a shorter list hardly anything can stand out
ARGUMENTS = (3, 10)
# The matcher of key points whose scores the shipped detectors weigh.
MATCHER = "tuned"
SYNTHETIC_FEATURES = (LIKENESS, *POINTS, GENERALITY)


def synthetic_examples(part: Part, encoder: Encoder, matcher: Matcher, seed: int = 0) -> Iterator[LabelledList]:
    """Speeches of arguments of one side, whatever key points they make."""
    speaker = Speaker(each.text for each in part.arguments)
    for number, group in enumerate(part.groups):
        random = np.random.default_rng([seed, number])
        decided = np.flatnonzero((group.labels != UNDECIDED).all(axis=1))
        if len(group.key_points) < SHORTEST_LIST or len(decided) < ARGUMENTS[1]:
            continue
        heard = [speaker.says(each.text, (), random) for each in group.arguments]
        for _ in range(SPEECHES_PER_SIDE):
            size = int(random.integers(*ARGUMENTS, endpoint=True))
            said = [int(place) for place in random.choice(decided, size, replace=False)]
            yield _example(group, said, heard, encoder, matcher)


def _example(
    group: Group, said: Sequence[int], heard: Sequence[str], encoder: Encoder, matcher: Matcher
) -> LabelledList:
    titles = tuple(point.text for point in group.key_points)
    mentioned = (group.labels[said] == 1).any(axis=0)
    sentences = [heard[place] for place in said]
    table = feature_table(
        argument_vectors(encoder, titles, [()] * len(titles)),
        speech_vectors(encoder, sentences),
        point_scores(matcher, group.topic, sentences, titles, [()] * len(titles)),
    )
    return LabelledList(group.topic, group.topic, titles, table, mentioned, mentioned.astype(float))
