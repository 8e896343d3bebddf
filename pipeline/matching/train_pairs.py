"""The encoder that says which sentences make one point, and on which side each is.

A batch is some texts of a few topics with points of those topics, the texts as a recogniser hears them. Each text is
read once, and all pairs of a topic are learned from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.evaluation.spoken import Speaker
from pipeline.matching.evaluate_pairs import ATTRIBUTION, UNDECIDED_VOTES, UNKNOWN, Lesson, lessons, strays
from pipeline.matching.matcher import on_topic
from pipeline.matching.weights import NEITHER, PairsHeader, save, trained_file
from pipeline.progress import Progress, no_progress

if TYPE_CHECKING:  # torch takes long to import
    import torch

    from pipeline.evaluation.fine_tuning import Matches

_SPOKEN = 0.6
_STRAYS = 0.1
_SIDE_WEIGHT = 0.5
# A vector has length 1; the head of sides reads it times this.
_SCALE = 10.0


@dataclass(frozen=True)
class PairsOptions:
    """How to train."""

    rank: int = 16
    layers: int = 6
    epochs: int = 2
    texts_per_topic: int = 14
    points_per_topic: int = 12
    texts_per_batch: int = 48
    learning_rate: float = 1e-3
    seed: int = 0


def learn(folder: Path, file: Path, *, base: str, options: PairsOptions, progress: Progress = no_progress) -> None:
    """Fine-tune an encoder on the training parts of all data sets below a folder, and write what it learned."""
    from pipeline.evaluation.fine_tuning import load_base

    taught = lessons(folder, "train")
    encoder, digest = load_base(base)
    checkpoint = file.with_name(f"{file.stem}.checkpoint")
    changed, head = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    header = PairsHeader(base=base, base_digest=digest, training=asdict(options), attribution=ATTRIBUTION, head=head)
    save(file, changed, header)


def train(
    encoder: Any,
    taught: Sequence[Lesson],
    options: PairsOptions,
    *,
    checkpoint: Path | None = None,
    progress: Progress = no_progress,
) -> tuple[dict[str, "torch.Tensor"], dict[str, Any]]:
    """(the low-rank changes that a sentence-transformers model learns from the lessons, its heads).

    The same lessons, options and thread count give the same weights. With a checkpoint file, a training that was killed
    goes on after its last whole epoch.
    """
    import torch

    from pipeline.evaluation.fine_tuning import Matches, descend, epochs, optimizer_of, set_rate
    from pipeline.text.encoders.low_rank import changes, insert

    torch.manual_seed(options.seed)
    parameters = insert(encoder, rank=options.rank, layers=options.layers)
    network = Matches(encoder, centre=0.6, tells_sides=True)
    heads = [network.centre, network.log_scale, *network.side.parameters()]
    optimizer = optimizer_of(parameters, heads, options.learning_rate)
    speaker = Speaker(text for lesson in taught for text in lesson.texts)
    for epoch in epochs(checkpoint, options, network, optimizer):
        batches = list(_batches(taught, options, speaker, epoch))
        for number, batch in enumerate(batches):
            share = (epoch + number / len(batches)) / options.epochs
            set_rate(optimizer, options.learning_rate * _warmed_up(share))
            value = descend(optimizer, _loss(network, batch))
            progress(share, f"epoch {epoch + 1}, loss {value:.3f}")
    return changes(encoder), _head(network)


def _loss(network: "Matches", batch: Sequence[Lesson]) -> "torch.Tensor":
    """How far the odds of pairs and of sides are from what people said, topic by topic."""
    import torch
    from torch.nn import functional

    texts = [text for lesson in batch for text in on_topic(lesson.topic, [*lesson.texts, *lesson.points])]
    vectors = network.vectors(texts)
    pairs, sides, start = [], [], 0
    for lesson in batch:
        middle, end = start + len(lesson.texts), start + len(lesson.texts) + len(lesson.points)
        said, points = vectors[start:middle], vectors[middle:end]
        start = end
        targets = torch.from_numpy(lesson.same).float()
        known = targets != UNKNOWN
        odds = network.odds(said @ points.T)
        pairs.append(functional.binary_cross_entropy_with_logits(odds[known], targets[known], reduction="none"))
        wanted = torch.from_numpy(np.concatenate([lesson.sides, lesson.point_sides]))
        side_odds = network.side(torch.cat([said, points]) * _SCALE)
        sides.append(functional.cross_entropy(side_odds, wanted, reduction="none"))
    return torch.cat(pairs).mean() + _SIDE_WEIGHT * torch.cat(sides).mean()


def _head(network: "Matches") -> dict[str, Any]:
    """The numbers that are stored beside the changes."""
    from pipeline.evaluation.fine_tuning import stored_head

    weights, bias = stored_head(network.side, _SCALE)
    centre, scale = round(network.centre.item(), 5), round(network.log_scale.exp().item(), 5)
    return {"side_weights": weights, "side_bias": bias, "centre": centre, "scale": scale}


def _batches(taught: Sequence[Lesson], options: PairsOptions, speaker: Speaker, epoch: int) -> Iterator[list[Lesson]]:
    """Every text once, in an order of this epoch: some texts of some topics at a time."""
    random = np.random.default_rng([options.seed, epoch])
    chunks: list[Lesson] = []
    for lesson in taught:
        rows = random.permutation(len(lesson.texts))
        for start in range(0, max(len(rows), 1), options.texts_per_topic):
            some = rows[start : start + options.texts_per_topic].tolist()
            chunks.append(_said(lesson.part(some, _points(lesson, some, options, random)), taught, speaker, random))
    batch: list[Lesson] = []
    for number in random.permutation(len(chunks)).tolist():
        batch.append(chunks[number])
        if sum(len(lesson.texts) + len(lesson.points) for lesson in batch) >= options.texts_per_batch:
            yield batch
            batch = []
    if batch:
        yield batch


def _points(lesson: Lesson, rows: list[int], options: PairsOptions, random: np.random.Generator) -> list[int]:
    """The points that these texts make, and others up to `points_per_topic`."""
    own = np.flatnonzero((lesson.same[rows] > UNDECIDED_VOTES).any(axis=0))
    others = random.permutation(np.setdiff1d(np.arange(len(lesson.points)), own))
    return [*own.tolist(), *others[: max(options.points_per_topic - len(own), 0)].tolist()]


def _said(lesson: Lesson, others: Sequence[Lesson], speaker: Speaker, random: np.random.Generator) -> Lesson:
    """A lesson whose texts were said in a speech, most of them, with some that belong to no side."""
    mixed = strays(lesson, others, _STRAYS, random)
    texts = []
    for row, text in enumerate(mixed.texts):
        is_spoken = random.random() < _SPOKEN and mixed.sides[row] != NEITHER
        texts.append(speaker.says(text, _around(mixed, row), random) if is_spoken else text)
    return replace(mixed, texts=tuple(texts))


def _around(lesson: Lesson, row: int) -> list[str]:
    """Texts of the same side that make no other of the points."""
    free = (lesson.same <= 0).all(axis=1) & (lesson.sides == lesson.sides[row])
    return [lesson.texts[other] for other in np.flatnonzero(free).tolist() if other != row]


def _warmed_up(share: float) -> float:
    """Linear warm-up over a tenth of the time, then decay to 0, as a share of the highest learning rate."""
    return min(share / 0.1 + 0.01, 1.0) * (1 - share)


@click.command()
@result.out_file
@result.fine_tuned_encoder
@click.option("--layers", default=6, show_default=True, help="How many of the encoder's last layers to change.")
@click.option("--epochs", default=2, show_default=True, help="How often all texts are seen.")
@result.threads
@result.training_seed
def command(
    data: Path, progress: Progress, out: Path | None, encoder: str, layers: int, epochs: int, seed: int
) -> Trained:
    """Fine-tune a sentence encoder on claims and arguments as they are heard in speeches.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance, of which the training parts are read.
    """
    file = out or trained_file()
    how = PairsOptions(layers=layers, epochs=epochs, seed=seed)
    learn(data, file, base=encoder, options=how, progress=progress)
    return Trained(file, (ATTRIBUTION,))
