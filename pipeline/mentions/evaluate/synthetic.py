"""Speeches put together from ArgKP's arguments: what the shipped detectors are trained on.

People labelled which key points an argument makes. A made-up speech is several arguments of one side, one after the
other, as they would be heard. It mentions their key points and no others of its side. The arguments are drawn by
chance, so that key points that many people make are heard often, as in debates. Every second speech is as long as a
debater's: its other sentences make no key point of the list, or are of the other side.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.arrays import Integers
from pipeline.evaluation.spoken import Speaker
from pipeline.keypoints.evaluate.data import UNDECIDED, Group, Part
from pipeline.matching.matcher import Matcher
from pipeline.mentions.detector import GENERALITY, LIKENESS, POINTS, feature_table, point_scores
from pipeline.mentions.evaluate.fitting import LabelledList
from pipeline.mentions.similarity import argument_vectors, speech_vectors
from pipeline.text.encoders.sentence_encoder import Encoder

VOICES = 3  # how often each argument is heard anew, with other hesitations and word errors
SPEECHES_PER_VOICE = 80
SHORTEST_LIST = 3  # in a shorter list hardly anything can stand out
ARGUMENTS = (3, 10)
ASIDES = (10, 40)
# The matcher of key points whose scores the shipped detectors weigh.
MATCHER = "tuned"
SYNTHETIC_FEATURES = (LIKENESS, *POINTS, GENERALITY)


def synthetic_examples(part: Part, encoder: Encoder, matcher: Matcher, seed: int = 0) -> Iterator[LabelledList]:
    """Speeches of arguments of one side, whatever key points they make; every second one has asides."""
    speaker = Speaker(each.text for each in part.arguments)
    for number, group in enumerate(part.groups):
        decided = np.flatnonzero((group.labels != UNDECIDED).all(axis=1))
        if len(group.key_points) < SHORTEST_LIST or len(decided) < ARGUMENTS[1]:
            continue
        others = _of_the_other_side(part, group)
        for voice in range(VOICES):
            random = np.random.default_rng([seed + voice, number])
            heard = [speaker.says(each.text, (), random) for each in group.arguments]
            pointless = [heard[place] for place in decided if not (group.labels[place] == 1).any()]
            opposing = [speaker.says(text, (), random) for text in others]
            asides = [pool for pool in (pointless, opposing) if pool]
            for said, sentences in _speeches(decided, heard, asides, random):
                yield _example(group, said, sentences, encoder, matcher)


def _speeches(
    places: Integers, heard: Sequence[str], asides: Sequence[list[str]], random: np.random.Generator
) -> Iterator[tuple[list[int], list[str]]]:
    """Which arguments are made in each speech, and its sentences."""
    for speech in range(SPEECHES_PER_VOICE):
        size = int(random.integers(*ARGUMENTS, endpoint=True))
        said = [int(place) for place in random.choice(places, size, replace=False)]
        sentences = [heard[place] for place in said]
        yield said, _with_asides(sentences, asides, random) if speech % 2 and asides else sentences


def _of_the_other_side(part: Part, group: Group) -> list[str]:
    others = (each for each in part.groups if each.topic == group.topic and each.stance != group.stance)
    return [argument.text for other in others for argument in other.arguments]


def _with_asides(sentences: list[str], pools: Sequence[list[str]], random: np.random.Generator) -> list[str]:
    """The sentences in any order among others, which come from each pool equally often."""
    count = int(random.integers(*ASIDES, endpoint=True))
    found = [pools[int(random.integers(len(pools)))] for _ in range(count)]
    mixed = sentences + [pool[int(random.integers(len(pool)))] for pool in found]
    return [mixed[int(place)] for place in random.permutation(len(mixed))]


def _example(
    group: Group, said: Sequence[int], sentences: Sequence[str], encoder: Encoder, matcher: Matcher
) -> LabelledList:
    titles = tuple(point.text for point in group.key_points)
    mentioned = (group.labels[said] == 1).any(axis=0)
    table = feature_table(
        argument_vectors(encoder, titles, [()] * len(titles)),
        speech_vectors(encoder, sentences),
        point_scores(matcher, group.topic, sentences, titles, [()] * len(titles)),
    )
    return LabelledList(group.topic, group.topic, titles, table, mentioned, mentioned.astype(float))
