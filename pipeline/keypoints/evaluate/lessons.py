"""What matchers learn from: the labelled sides of the key point data, and what a teacher says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.arrays import Probabilities
from pipeline.errors import RostrumError
from pipeline.keypoints.evaluate.data import Labels, Part
from pipeline.matching.evaluate.lessons import lessons_of_clusters, read_perspectrum
from pipeline.matching.matcher import Matcher, on_topic

# The middle of the votes that an undecided pair had.
_UNDECIDED_VOTES = 0.35


@dataclass(frozen=True)
class MatcherOptions:
    """How to train a matcher.

    A `topical` one sees the topic before every text. The share `noise` of the arguments is learned as a recogniser
    hears them. Learning begins with even odds at the cosine `centre`, from which they rise by `scale` times the cosine.
    """

    rank: int = 16
    layers: int = 3
    epochs: int = 2
    arguments_per_side: int = 16
    sides_per_batch: int = 2
    learning_rate: float = 1e-3
    softmax: float = 0.0
    topical: bool = True
    noise: float = 0.0
    centre: float = 0.5
    scale: float = 10.0
    seed: int = 0


@dataclass(frozen=True)
class Lesson:
    """One side of a topic to learn from. `labels` has one row per argument: 1, 0, or -1 where people did not agree.

    `taught` are the probabilities that a teacher gives the same pairs, where there is one. `topic` is what an encoder
    sees before each argument.
    """

    arguments: tuple[str, ...]
    key_points: tuple[str, ...]
    labels: Labels
    taught: Probabilities | None = None
    topic: str = ""

    @property
    def targets(self) -> Probabilities:
        """How much of a match each pair is: as people said, or half as they and half as the teacher says.

        Where people did not agree, it is what the teacher says, and without one the middle of their votes.
        """
        labels = self.labels.astype(np.float64)
        if self.taught is None:
            return np.asarray(np.where(labels < 0, _UNDECIDED_VOTES, labels))
        return np.asarray(np.where(labels < 0, self.taught, (labels + self.taught) / 2))


def after_topic(topic: str, texts: Sequence[str]) -> list[str]:
    """Texts as an encoder sees them: after their topic, where there is one."""
    return on_topic(topic, texts) if topic else list(texts)


def lessons(part: Part, teacher: Matcher | None = None, *, topical: bool = True) -> list[Lesson]:
    """A lesson for every side of a topic that has labels, and a teacher's probabilities.

    In `topical` ones the topic stands before the key points, and is told apart from the arguments: a model that reads
    both texts at once needs it in one of them only.
    """
    found = [
        Lesson(
            tuple(group.argument_texts),
            tuple(after_topic(topic, group.point_texts)),
            group.labels,
            None if teacher is None else np.clip(group.scores(teacher), 0, 1),
            topic,
        )
        for group in part.groups
        for topic in [group.topic if topical else ""]
        if (group.labels >= 0).any()
    ]
    if not found:
        raise RostrumError(f"the part '{part.name}' has no labels to learn from")
    return found


def lessons_of_perspectrum(folder: Path, *, topical: bool = True) -> list[Lesson]:
    """A lesson for every claim of Perspectrum's training part: which perspectives say the same as the first of each
    cluster.
    """
    found = [lessons_of_clusters(debated) for debated in read_perspectrum(folder, "train")]
    return [
        Lesson(
            each.texts,
            tuple(after_topic(topic, each.points)),
            each.same.astype(np.int8),
            topic=topic,
        )
        for each in found
        for topic in [each.topic if topical else ""]
        if each.texts and len(each.points) > 1
    ]
