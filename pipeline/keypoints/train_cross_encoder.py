"""A cross-encoder of key points."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress, no_progress
from pipeline.system.environment import import_torchaudio

if TYPE_CHECKING:  # torch takes long to import
    import torch

    from pipeline.keypoints.evaluate.training import Lesson


@click.command()
@result.out_folder
@result.fine_tuned_encoder
@click.option("--epochs", default=1, show_default=True, help="Epochs: how often all pairs are seen.")
@click.option("--learning-rate", default=5e-5, show_default=True, help="The highest learning rate.")
@result.threads
@result.training_seed
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    encoder: str,
    epochs: int,
    learning_rate: float,
    seed: int,
) -> Trained:
    """Fine-tune a model that reads an argument and a key point together: slower than the matcher.

    DIR is as for `rostrum train keypoints`, of which only the training part is read.
    """
    from pipeline import models
    from pipeline.keypoints.evaluate.data import training_parts
    from pipeline.keypoints.evaluate.training import lessons

    training, _ = training_parts(data)
    folder = out or models.cache_folder() / "keypoints" / "cross-encoder"
    chosen = CrossEncoderOptions(epochs=epochs, learning_rate=learning_rate, seed=seed)
    train_cross_encoder(models.find(encoder).path, lessons(training), folder, chosen, progress=progress)
    return Trained(folder, (f"to score it: rostrum evaluate keypoints --matcher cross-encoder:{folder}",))


_LONGEST = 96  # tokens of both texts; those of ArgKP have some 40


@dataclass(frozen=True)
class CrossEncoderOptions:
    """How to train."""

    epochs: int = 1
    pairs_per_batch: int = 32
    learning_rate: float = 5e-5
    seed: int = 0


# An argument, a key point, and how much of a match they are.
Pair = tuple[str, str, float]


def pairs_of(lessons: "Sequence[Lesson]") -> list[Pair]:
    """Every argument that has a label with every key point of its side."""
    return [
        (argument, key_point, float(target))
        for lesson in lessons
        for argument, labels, targets in zip(lesson.arguments, lesson.labels, lesson.targets, strict=True)
        if (labels >= 0).any()
        for key_point, target in zip(lesson.key_points, targets, strict=True)
    ]


def train_cross_encoder(
    base: Path,
    lessons: "Sequence[Lesson]",
    out: Path,
    options: CrossEncoderOptions,
    *,
    progress: Progress = no_progress,
) -> Path:
    """The folder `out` with the fine-tuned model, as sentence-transformers reads cross-encoders.

    `base` is a folder with a transformer; a sentence encoder's is one. Its head is new.
    """
    import_torchaudio()
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from pipeline.evaluation.fine_tuning import descend, warmed_up

    torch.manual_seed(options.seed)
    try:
        tokenizer = AutoTokenizer.from_pretrained(base)
        model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=1)
    except (OSError, ValueError) as error:
        raise RostrumError(f"{base}: has no transformer that can be fine-tuned; give another --encoder") from error
    pairs = pairs_of(lessons)
    batches = [batch for epoch in range(options.epochs) for batch in _batches(pairs, options, epoch)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warmed_up(step, len(batches)))
    model.train()
    for number, batch in enumerate(batches, start=1):
        loss = descend(optimizer, _loss(model, tokenizer, batch))
        schedule.step()
        progress(number / len(batches), f"loss {loss:.3f}")
    model.eval()
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    return out


def _batches(pairs: Sequence[Pair], options: CrossEncoderOptions, epoch: int) -> Iterator[list[Pair]]:
    """All pairs in an order of this epoch, so many at a time."""
    order = list(pairs)
    random.Random(options.seed * 1000 + epoch).shuffle(order)
    size = options.pairs_per_batch
    return (order[start : start + size] for start in range(0, len(order), size))


def _loss(model: Any, tokenizer: Any, batch: Sequence[Pair]) -> "torch.Tensor":
    import torch
    from torch.nn import functional

    arguments, key_points, targets = zip(*batch, strict=True)
    features = tokenizer(
        list(arguments), list(key_points), padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt"
    )
    return functional.binary_cross_entropy_with_logits(model(**features).logits[:, 0], torch.tensor(targets))
