"""Fine-tune a sentence encoder to match arguments with key points.

A batch is some arguments of a few sides of topics, with all key points of those sides. The loss is contrastive: the
cross entropy of every pair's own odds, by which scores of different arguments can be compared. A softmax over the batch
can be added: each argument against the key points that it does not make, each key point against the arguments that do
not make it. A pair that the annotators did not agree on (15 to 60 % of them saw a match) is a match by that much.
"""

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.linalg import block_diag
from torch.nn import functional

from pipeline.evaluation.fine_tuning import Matches, descend, epochs, warmed_up
from pipeline.evaluation.spoken import Speaker
from pipeline.keypoints.evaluate.lessons import Lesson, MatcherOptions, after_topic
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.low_rank import changes, insert

_TEMPERATURE = 0.05


class Pairs(Matches):
    """The encoder, and how far it is from what is known of pairs."""

    def cosines(self, arguments: Sequence[str], key_points: Sequence[str]) -> torch.Tensor:
        vectors = self.vectors([*arguments, *key_points])
        return vectors[: len(arguments)] @ vectors[len(arguments) :].T

    def loss(self, cosines: torch.Tensor, joined: "Joined", softmax: float) -> torch.Tensor:
        """How far the odds are from the targets of the pairs of one side; of the others nothing is known."""
        labels, known, targets = joined
        odds = self.odds(cosines)
        pairwise = functional.binary_cross_entropy_with_logits(odds[known], targets[known])
        if not softmax:
            return pairwise
        decided = torch.where(known, labels, torch.full_like(labels, -1))
        return pairwise + softmax / 2 * (_softmax_loss(cosines, decided) + _softmax_loss(cosines.T, decided.T))


def _softmax_loss(cosines: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Each row's matches against what in that row is no match; pairs without a label are left out."""
    rows = ((labels == 1).any(dim=1)) & ((labels == 0).any(dim=1))
    if not rows.any():
        return cosines.sum() * 0.0
    scores = (cosines[rows] / _TEMPERATURE).masked_fill(labels[rows] < 0, -1e4)
    matches = scores.masked_fill(labels[rows] != 1, -1e4)
    return (torch.logsumexp(scores, dim=1) - torch.logsumexp(matches, dim=1)).mean()


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
            loss = _step(pairs, batch, heard, options.softmax, optimizer)
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
    found: Batch = []
    for side in small:
        found.append(side)
        if sum(len(rows) for _, rows in found) >= size:
            yield found
            found = []
    if found:
        yield found


def _step(
    pairs: Pairs, batch: Batch, heard: Callable[[str], str], softmax: float, optimizer: torch.optim.Optimizer
) -> float:
    arguments: list[str] = []
    for lesson, rows in batch:
        arguments += after_topic(lesson.topic, [heard(lesson.arguments[row]) for row in rows])
    key_points = [text for lesson, _ in batch for text in lesson.key_points]
    return descend(optimizer, pairs.loss(pairs.cosines(arguments, key_points), _joined(batch), softmax))


class Joined(NamedTuple):
    """All pairs of an argument and a key point in a batch: labels, whether they are of one side, and targets."""

    labels: torch.Tensor
    known: torch.Tensor
    targets: torch.Tensor


def _joined(batch: Batch) -> Joined:
    labels = [lesson.labels[rows] for lesson, rows in batch]
    known = block_diag(*(np.ones(each.shape, dtype=bool) for each in labels))
    targets = block_diag(*(lesson.targets[rows] for lesson, rows in batch))
    return Joined(torch.from_numpy(block_diag(*labels)), torch.from_numpy(known), torch.from_numpy(targets).float())
