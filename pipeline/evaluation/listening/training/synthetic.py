"""Speeches put together from ArgKP's arguments: what the shipped detectors are trained on.

People said which key points an argument makes. Several arguments of one side, one after the other, are a speech that
mentions those key points and no others of its side.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.argue.mentions.features import LIKENESS, feature_table
from pipeline.argue.mentions.similarity import argument_vectors, speech_vectors
from pipeline.arrays import Integers
from pipeline.evaluation.keypoints.data import Group, Part
from pipeline.evaluation.listening.training.fitting import LabelledList
from pipeline.text.encoders.sentence_encoder import Encoder

SPEECHES_PER_SIDE = 40
SHORTEST_LIST = 5  # as long as lists of arguments are, so that what stands out in a list means the same
SHARE_MENTIONED = (0.1, 0.7)
SAID_OF_EACH = (1, 3)
BESIDE_THEM = (0, 6)
SYNTHETIC_FEATURES = (LIKENESS,)


def synthetic_examples(part: Part, encoder: Encoder, seed: int = 0) -> Iterator[LabelledList]:
    """Speeches that make between a tenth and seven tenths of their side's key points, and say other things besides."""
    for number, group in enumerate(part.groups):
        random = np.random.default_rng([seed, number])
        for _ in range(SPEECHES_PER_SIDE if len(group.key_points) >= SHORTEST_LIST else 0):
            said = _said(group, random)
            if said:
                yield _example(group, said, encoder)


def _said(group: Group, random: np.random.Generator) -> list[int]:
    """Arguments that make some of the key points, and arguments that make none, in any order."""
    count = len(group.key_points)
    wanted = random.random(count) < random.uniform(*SHARE_MENTIONED)
    # an argument is of use where people decided on all the key points that are not to be made
    clean = (group.labels[:, ~wanted] == 0).all(axis=1)
    said: set[int] = set()
    for point in np.flatnonzero(wanted):
        makers = np.flatnonzero(clean & (group.labels[:, point] == 1))
        said.update(_some(makers, SAID_OF_EACH, random))
    said.update(_some(np.flatnonzero(clean & (group.labels == 0).all(axis=1)), BESIDE_THEM, random))
    return [int(i) for i in random.permutation(sorted(said))]


def _some(values: Integers, amount: tuple[int, int], random: np.random.Generator) -> list[int]:
    size = min(len(values), int(random.integers(*amount, endpoint=True)))
    return [int(value) for value in random.choice(values, size, replace=False)]


def _example(group: Group, said: Sequence[int], encoder: Encoder) -> LabelledList:
    titles = tuple(point.text for point in group.key_points)
    mentioned = (group.labels[said] == 1).any(axis=0)
    table = feature_table(
        argument_vectors(encoder, titles, [()] * len(titles)),
        speech_vectors(encoder, [group.arguments[i].text for i in said]),
    )
    return LabelledList(group.topic, group.topic, titles, table, mentioned, mentioned.astype(float))
