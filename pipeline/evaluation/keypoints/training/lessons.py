"""What matchers learn from: the labelled sides of the key point data, and what a teacher says of them."""

from dataclasses import dataclass

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher, on_topic
from pipeline.arrays import Probabilities
from pipeline.errors import RostrumError
from pipeline.evaluation.keypoints.data import Labels, Part

# The middle of the votes that an undecided pair had.
_UNDECIDED_VOTES = 0.35


@dataclass(frozen=True)
class MatcherOptions:
    """How to train a matcher."""

    rank: int = 16
    layers: int = 3
    epochs: int = 2
    arguments_per_side: int = 16
    sides_per_batch: int = 2
    learning_rate: float = 1e-3
    softmax: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Lesson:
    """One side of a topic to learn from. `labels` has one row per argument: 1, 0, or -1 where people did not agree.

    `taught` are the probabilities that a teacher gives the same pairs, where there is one.
    """

    arguments: tuple[str, ...]
    key_points: tuple[str, ...]
    labels: Labels
    taught: Probabilities | None = None

    @property
    def targets(self) -> Probabilities:
        """How much of a match each pair is: as people said, or half as they and half as the teacher says.

        Where people did not agree, it is what the teacher says, and without one the middle of their votes.
        """
        labels = self.labels.astype(np.float64)
        if self.taught is None:
            return np.asarray(np.where(labels < 0, _UNDECIDED_VOTES, labels))
        return np.asarray(np.where(labels < 0, self.taught, (labels + self.taught) / 2))


def lessons(part: Part, teacher: Matcher | None = None, *, topical: bool = True) -> list[Lesson]:
    """A lesson for every side of a topic that has labels: texts as a model sees them, and a teacher's probabilities.

    The topic stands before the key points, and, if `topical`, before the arguments: a model that reads both texts at
    once needs it in one of them only.
    """
    found = [
        Lesson(
            tuple(on_topic(group.topic, group.argument_texts) if topical else group.argument_texts),
            tuple(on_topic(group.topic, group.point_texts)),
            group.labels,
            None if teacher is None else np.clip(group.scores(teacher), 0, 1),
        )
        for group in part.groups
        if (group.labels >= 0).any()
    ]
    if not found:
        raise RostrumError(f"the part '{part.name}' has no labels to learn from")
    return found
