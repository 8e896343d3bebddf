"""Fine-tune a sentence encoder to tell which side of a motion a text is on, motion and text read together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pipeline.evaluation.fine_tuning import descend, epochs, load_base, warmed_up
from pipeline.evaluation.spoken import Speaker
from pipeline.matching.weights import save
from pipeline.progress import Progress, no_progress
from pipeline.speakers.evaluate.lessons import Lesson, Topic, drawn, elsewhere, topics
from pipeline.speakers.stance_model import SCALE, SidesHeader, together
from pipeline.text.encoders.low_rank import changes, insert

ATTRIBUTION = (
    "Learned from ArgKP (IBM Research, CDLA-Sharing-1.0), Perspectrum (Chen et al. 2019, CC-BY-SA 4.0) and IBM's Claim "
    "Stance Dataset (CC-BY-SA 3.0), their training parts"
)
_LONGEST = 160
# How many passages on other topics are kept with the weights.
_ELSEWHERE = 60


@dataclass(frozen=True)
class SidesOptions:
    """How to train."""

    rank: int = 16
    layers: int = 12
    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1e-3
    seed: int = 0


class Network(nn.Module):
    """An encoder and the head that reads its vectors."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.side = nn.Linear(int(encoder.get_embedding_dimension()), 3)

    def forward(self, texts: list[str]) -> torch.Tensor:
        """One row of odds per text."""
        features = self.encoder.tokenizer(
            texts, padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt"
        )
        vectors = functional.normalize(self.encoder(dict(features))["sentence_embedding"], dim=1)
        odds: torch.Tensor = self.side(vectors * SCALE)
        return odds

    def head(self) -> dict[str, Any]:
        """The numbers that are stored beside the changes, rounded so that equal trainings write equal files."""
        return {
            "weights": [[round(float(value) * SCALE, 5) for value in row] for row in self.side.weight.tolist()],
            "bias": [round(float(value), 5) for value in self.side.bias.tolist()],
        }


def learn(folder: Path, file: Path, *, base: str, options: SidesOptions, progress: Progress = no_progress) -> None:
    """Fine-tune an encoder on the training parts of all data sets below a folder, and write what it learned."""
    encoder, digest = load_base(base)
    checkpoint = file.with_name(f"{file.stem}.checkpoint")
    taught = topics(folder, "train")
    network = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    others = elsewhere(taught, _ELSEWHERE, np.random.default_rng(options.seed))
    head = {**network.head(), "elsewhere": others}
    header = SidesHeader(base=base, base_digest=digest, training=asdict(options), attribution=ATTRIBUTION, head=head)
    save(file, changes(encoder), header)


def train(
    encoder: Any,
    taught: Sequence[Topic],
    options: SidesOptions,
    *,
    checkpoint: Path | None = None,
    progress: Progress = no_progress,
    after_epoch: Callable[[Network], None] = lambda _: None,
) -> Network:
    """The network that a sentence-transformers model becomes. The encoder itself is changed.

    The same topics, options and thread count give the same weights. With a checkpoint file, a training that was killed
    goes on after its last whole epoch.
    """
    torch.manual_seed(options.seed)
    parameters = insert(encoder, rank=options.rank, layers=options.layers)
    network = Network(encoder)
    groups: list[dict[str, Any]] = [
        {"params": parameters},
        {"params": list(network.side.parameters()), "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=options.learning_rate, weight_decay=0.01)
    speaker = Speaker(text for topic in taught for text in (*topic.supporting, *topic.opposing))
    for epoch in epochs(checkpoint, options, network, optimizer):
        random = np.random.default_rng([options.seed, epoch])
        hard = epoch / max(options.epochs - 1, 1)
        batches = list(_batches(drawn(taught, speaker, hard, random), options.batch, random))
        for number, batch in enumerate(batches):
            step = epoch * len(batches) + number
            for group in optimizer.param_groups:
                group["lr"] = options.learning_rate * warmed_up(step, options.epochs * len(batches))
            odds = network([together(lesson.topic, lesson.text) for lesson in batch])
            wanted = torch.tensor([lesson.side for lesson in batch])
            loss = functional.cross_entropy(odds, wanted, label_smoothing=0.05)
            value = descend(optimizer, loss)
            progress(step / (options.epochs * len(batches)), f"epoch {epoch + 1}, loss {value:.3f}")
        after_epoch(network)
    return network


def _batches(lessons: Sequence[Lesson], size: int, random: np.random.Generator) -> Iterator[list[Lesson]]:
    """All lessons once, those of similar length together, in random order."""
    near = 20 * size
    batches = []
    for start in range(0, len(lessons), near):
        sorted_ones = sorted(lessons[start : start + near], key=lambda lesson: len(lesson.topic) + len(lesson.text))
        batches += [sorted_ones[first : first + size] for first in range(0, len(sorted_ones), size)]
    for index in random.permutation(len(batches)).tolist():
        yield batches[index]
