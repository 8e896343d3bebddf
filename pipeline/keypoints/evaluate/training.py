"""Fine-tunes a sentence encoder to match arguments with key points.

A batch is some arguments of a few sides of topics, with all key points of those sides. The loss is contrastive: the
cross entropy of every pair's own odds, by which scores of different arguments can be compared. A pair that the
annotators did not agree on (15 to 60 % of them saw a match) is a match by that much.
"""

import functools
import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.linalg import block_diag
from torch.nn import functional

from pipeline.arrays import Floats
from pipeline.errors import RostrumError
from pipeline.evaluation.fine_tuning import Matches, descend, epochs, load_base, warmed_up
from pipeline.evaluation.spoken import Speaker
from pipeline.keypoints.evaluate.data import Labels, Part
from pipeline.matching.evaluate_pairs import lessons_of_clusters, read_perspectrum
from pipeline.matching.matcher import on_topic
from pipeline.matching.matchers.encoders import BiEncoder
from pipeline.matching.weights import MatcherHeader, save
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.low_rank import changes, insert
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, SentenceEncoder, embed

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
    topical: bool = True
    noise: float = 0.0
    centre: float = 0.5
    scale: float = 10.0
    seed: int = 0


# How the second encoder of the ensemble learns: arguments as they are heard, and no topics.
HEARD = MatcherOptions(layers=4, learning_rate=3e-4, topical=False, noise=0.4, centre=0.7, scale=20.0)


@dataclass(frozen=True)
class Lesson:
    """One side of a topic to learn from. `labels` has one row per argument: 1, 0, or -1 where people did not agree.

    `topic` is what an encoder sees before each argument.
    """

    arguments: tuple[str, ...]
    key_points: tuple[str, ...]
    labels: Labels
    topic: str = ""

    @property
    def targets(self) -> Floats:
        """How much of a match each pair is: as people said, or the middle of their votes if they did not agree."""
        return np.asarray(np.where(self.labels < 0, _UNDECIDED_VOTES, self.labels.astype(np.float64)))


def after_topic(topic: str, texts: Sequence[str]) -> list[str]:
    """Texts as an encoder sees them: after their topic, where there is one."""
    return on_topic(topic, texts) if topic else list(texts)


def lessons(part: Part, *, topical: bool = True) -> list[Lesson]:
    """A lesson for every side of a topic that has labels.

    In `topical` ones the topic stands before the key points, and is told apart from the arguments: a model that reads
    both texts at once needs it in one of them only.
    """
    labelled = [
        Lesson(
            tuple(group.argument_texts),
            tuple(after_topic(topic, group.point_texts)),
            group.labels,
            topic,
        )
        for group in part.groups
        for topic in [group.topic if topical else ""]
        if (group.labels >= 0).any()
    ]
    if not labelled:
        raise RostrumError(f"the part '{part.name}' has no labels to learn from")
    return labelled


def lessons_of_perspectrum(folder: Path, *, topical: bool = True) -> list[Lesson]:
    """A lesson for every claim of Perspectrum's training part: which perspectives say the same as the first of each
    cluster.
    """
    clusters = [lessons_of_clusters(debated) for debated in read_perspectrum(folder, "train")]
    return [
        Lesson(claim.texts, tuple(after_topic(topic, claim.points)), claim.same.astype(np.int8), topic)
        for claim in clusters
        for topic in [claim.topic if topical else ""]
        if claim.texts and len(claim.points) > 1
    ]


class Pairs(Matches):
    """The encoder, and how far it is from what is known of pairs."""

    def cosines(self, arguments: Sequence[str], key_points: Sequence[str]) -> torch.Tensor:
        vectors = self.vectors([*arguments, *key_points])
        return vectors[: len(arguments)] @ vectors[len(arguments) :].T

    def loss(self, cosines: torch.Tensor, known: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The cross entropy of the odds of `known` pairs, those of one side, with their targets."""
        return functional.binary_cross_entropy_with_logits(self.odds(cosines)[known], targets[known])


def train(
    encoder: Any,
    lessons: Sequence[Lesson],
    options: MatcherOptions,
    *,
    checkpoint: Path | None = None,
    progress: Progress = no_progress,
) -> dict[str, torch.Tensor]:
    """The low-rank changes that a sentence-transformers model learns from the lessons. The model is changed, too.

    The same lessons, options and thread count give the same changes. With a checkpoint file, a training that was killed
    goes on after its last whole epoch.
    """
    torch.manual_seed(options.seed)
    parameters = insert(encoder, rank=options.rank, layers=options.layers)
    pairs = Pairs(encoder, options.centre, options.scale)
    optimizer = torch.optim.AdamW(
        [
            {"params": parameters, "lr": options.learning_rate},
            {"params": [pairs.centre, pairs.log_scale], "lr": 1e-3, "weight_decay": 0.0},
        ],
        weight_decay=0.01,
    )
    steps = len(batches(lessons, options, epoch=0))
    total = steps * options.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warmed_up(step, total))
    speaker = Speaker(text for lesson in lessons for text in lesson.arguments)
    for epoch in epochs(checkpoint, options, pairs, optimizer, schedule):
        heard = functools.partial(_heard, speaker, options.noise, np.random.default_rng([options.seed, epoch]))
        for number, batch in enumerate(batches(lessons, options, epoch), start=epoch * steps + 1):
            loss = _step(pairs, batch, heard, optimizer)
            schedule.step()
            progress(number / total, f"epoch {epoch + 1}, loss {loss:.3f}")
    return changes(encoder)


def _heard(speaker: Speaker, noise: float, chance: np.random.Generator, text: str) -> str:
    return speaker.says(text, (), chance) if chance.random() < noise else text


Batch = list[tuple[Lesson, list[int]]]


def batches(lessons: Sequence[Lesson], options: MatcherOptions, epoch: int) -> list[Batch]:
    """Every argument with a label once, in an order of this epoch: some arguments of some sides at a time.

    Sides of few arguments count as one together.
    """
    shuffle = random.Random(options.seed * 1000 + epoch).shuffle
    size, sides = options.arguments_per_side, options.sides_per_batch
    chunks: list[Batch] = []
    small: Batch = []
    for lesson in lessons:
        rows = np.flatnonzero((lesson.labels >= 0).any(axis=1)).tolist()
        shuffle(rows)
        if len(rows) < size:
            small.append((lesson, rows))
        else:
            chunks += [[(lesson, rows[start : start + size])] for start in range(0, len(rows), size)]
    chunks += _together(small, size, options.seed)
    shuffle(chunks)
    return [list(chain(*chunks[start : start + sides])) for start in range(0, len(chunks), sides)]


def _together(small: Batch, size: int, seed: int) -> Iterator[Batch]:
    """Small sides put together until they have `size` arguments: the same ones in every epoch."""
    random.Random(seed).shuffle(small)
    together: Batch = []
    for side in small:
        together.append(side)
        if sum(len(rows) for _, rows in together) >= size:
            yield together
            together = []
    if together:
        yield together


def _step(pairs: Pairs, batch: Batch, heard: Callable[[str], str], optimizer: torch.optim.Optimizer) -> float:
    arguments: list[str] = []
    for lesson, rows in batch:
        arguments += after_topic(lesson.topic, [heard(lesson.arguments[row]) for row in rows])
    key_points = [text for lesson, _ in batch for text in lesson.key_points]
    known = block_diag(*(np.ones((len(rows), len(lesson.key_points)), dtype=bool) for lesson, rows in batch))
    targets = block_diag(*(lesson.targets[rows] for lesson, rows in batch))
    cosines = pairs.cosines(arguments, key_points)
    return descend(optimizer, pairs.loss(cosines, torch.from_numpy(known), torch.from_numpy(targets).float()))


def data_digest(part: Part) -> str:
    """sha256 of the content of a part, whatever its files are called and in which order their lines are."""
    content = [
        sorted((argument.id, argument.text, argument.topic, argument.stance) for argument in part.arguments),
        sorted((point.id, point.text, point.topic, point.stance) for point in part.key_points),
        sorted((argument, key_point, label) for (argument, key_point), label in part.labels.items()),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def learn(
    part: Part,
    dev: Part | None,
    file: Path,
    *,
    base: str = DEFAULT_ENCODER,
    options: MatcherOptions,
    perspectrum: Path | None = None,
    attribution: str = "",
    progress: Progress = no_progress,
) -> MatcherHeader:
    """Fine-tune an encoder on a part, choose the threshold on dev (without one, on the part itself) and write both.

    What `perspectrum`, a folder, has is learned besides.
    """
    taught = lessons(part, topical=options.topical)
    if perspectrum:
        taught += lessons_of_perspectrum(perspectrum, topical=options.topical)
    encoder, base_digest = load_base(base)
    digest = data_digest(part)
    besides = "-perspectrum" if perspectrum else ""
    checkpoint = file.with_name(f"{file.stem}-{digest[:16]}-{base_digest[:16]}{besides}.checkpoint")
    changes = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    changed = SentenceEncoder(base, "", functools.partial(embed, encoder))
    matcher = BiEncoder(base, changed, threshold=0.0, topical=options.topical)
    groups = [group for group in (dev or part).groups if group.key_points]
    threshold = best_threshold([group.scores(matcher) for group in groups], [group.labels for group in groups])
    header = MatcherHeader(
        base=base,
        base_digest=base_digest,
        training=asdict(options) | ({"perspectrum": True} if perspectrum else {}),
        attribution=attribution,
        data_digest=digest,
        threshold=threshold,
        topical=options.topical,
    )
    save(file, changes, header)
    return header


def best_threshold(scores: Sequence[Floats], labels: Sequence[Labels]) -> float:
    """The threshold with the highest F1 of arguments' best matches, halfway to the next lower score.

    A best match at or above the threshold is right when it is labelled 1; an argument that has such a label and whose
    match is wrong or below is missed.
    """
    best = np.concatenate([scored.max(axis=1) for scored in scores])
    right = np.concatenate(
        [own[np.arange(len(own)), scored.argmax(axis=1)] == 1 for scored, own in zip(scores, labels, strict=True)]
    )
    with_match = sum(int((own == 1).any(axis=1).sum()) for own in labels)
    order = np.argsort(-best)
    f1 = 2 * np.cumsum(right[order]) / (np.arange(1, len(order) + 1) + with_match)
    last = int(f1.argmax())
    ranked = best[order]
    return float(round((ranked[last] + ranked[min(last + 1, len(ranked) - 1)]) / 2, 4))
