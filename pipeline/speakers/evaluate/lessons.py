"""People's labels of texts on a topic, for and against it, made into lessons on which side a speaker's words are.

A debate may be on any sentence ('Abolish the minimum wage', 'Men are finished'), so that a topic is also learned in
other words: as an order, denied (the sides change places), or replaced by a text of one side.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.evaluation.spoken import Speaker
from pipeline.matching.evaluate_pairs import PartName, lessons, stray
from pipeline.matching.weights import AGAINST, FOR, NEITHER
from pipeline.speakers.denial import as_order, denied

# How often a text is learned in these ways, in the end.
_DENIED = 0.25
_OTHER_TEXT = 0.2
_ORDER = 0.3
_SPOKEN = 0.5
_JOINED = 0.4
_STRAY = 0.1
_MOST_PER_TOPIC = 80


@dataclass(frozen=True)
class Topic:
    """What is said on one topic: texts for it, and texts against it."""

    text: str
    supporting: tuple[str, ...]
    opposing: tuple[str, ...]

    def texts(self, side: int) -> tuple[str, ...]:
        return self.supporting if side == FOR else self.opposing


@dataclass(frozen=True)
class Lesson:
    """A topic, a text, and the side of the text: FOR, AGAINST or NEITHER."""

    topic: str
    text: str
    side: int


def topics(folder: Path, part: PartName) -> list[Topic]:
    """The topics of ArgKP, Perspectrum and IBM's claim stance data, one part of each."""
    read = []
    for lesson in lessons(folder, part):
        said = [*zip(lesson.texts, lesson.sides, strict=True), *zip(lesson.points, lesson.point_sides, strict=True)]
        supporting = tuple(dict.fromkeys(text for text, side in said if side == FOR))
        opposing = tuple(dict.fromkeys(text for text, side in said if side == AGAINST))
        read.append(Topic(lesson.topic, supporting, opposing))
    return read


def drawn(taught: Sequence[Topic], speaker: Speaker, hard: float, random: np.random.Generator) -> list[Lesson]:
    """Every text of every topic once, some of a topic with very many, in random order.

    `hard` is the share of the changes described above that are made: 0 for texts and topics as they are, which have to
    be learned first, 1 for all.
    """
    varied = [
        _varied(topic, side, text, taught, speaker, hard, random)
        for topic in taught
        for side, text in _some(topic, random)
    ]
    return [varied[index] for index in random.permutation(len(varied)).tolist()]


def elsewhere(taught: Sequence[Topic], count: int, random: np.random.Generator) -> list[str]:
    """Passages of three texts on three topics."""
    texts = [text for topic in taught for text in (*topic.supporting, *topic.opposing)]
    drawn_ones = random.choice(len(texts), size=(count, 3), replace=False)
    return [" ".join(_ended(texts[number]) for number in numbers) for numbers in drawn_ones.tolist()]


def _some(topic: Topic, random: np.random.Generator) -> Iterator[tuple[int, str]]:
    said = [(side, text) for side in (FOR, AGAINST) for text in topic.texts(side)]
    for index in random.permutation(len(said))[:_MOST_PER_TOPIC].tolist():
        yield said[index]


def _varied(
    topic: Topic,
    side: int,
    text: str,
    taught: Sequence[Topic],
    speaker: Speaker,
    hard: float,
    random: np.random.Generator,
) -> Lesson:
    if random.random() < _STRAY:
        return Lesson(topic.text, stray(taught, lambda other: other.supporting + other.opposing, random), NEITHER)
    motion, wanted = _motion(topic, side, text, hard, random)
    others = [other for other in topic.texts(side) if other not in (text, motion)]
    words = text
    if others and random.random() < hard * _JOINED:
        picked = [others[int(random.integers(len(others)))] for _ in range(int(random.integers(1, 3)))]
        words = " ".join(_ended(one) for one in dict.fromkeys([text, *picked]))
    if random.random() < hard * _SPOKEN:
        words = speaker.says(words, [], random)
    return Lesson(motion, words, wanted)


def _motion(topic: Topic, side: int, text: str, hard: float, random: np.random.Generator) -> tuple[str, int]:
    """The topic in these or other words, and the side of a text on it then."""
    if random.random() < hard * _OTHER_TEXT:
        others = [(each, other) for each in (FOR, AGAINST) for other in topic.texts(each) if other != text]
        if others:
            stands, motion = others[int(random.integers(len(others)))]
            return motion, FOR if stands == side else AGAINST
    motion = topic.text
    if random.random() < hard * _DENIED:
        motion, side = denied(motion), AGAINST if side == FOR else FOR
    elif random.random() < hard * _ORDER:
        motion = as_order(motion)
    return motion, side


def _ended(text: str) -> str:
    return text if text.rstrip("\"')]} ").endswith((".", "!", "?")) else f"{text}."
