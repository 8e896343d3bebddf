"""The encoder that tells which side of a motion a text is on, motion and text read together."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.evaluation.spoken import Speaker
from pipeline.matching.evaluate_pairs import ATTRIBUTION
from pipeline.matching.weights import save
from pipeline.progress import Progress, no_progress
from pipeline.speakers.evaluate.lessons import Lesson, Topic, drawn, elsewhere, topics
from pipeline.speakers.stance_model import SCALE, SidesHeader, together, trained_file

if TYPE_CHECKING:  # torch takes long to import
    from pipeline.evaluation.fine_tuning import Trainable

# In tokens.
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


def learn(folder: Path, file: Path, *, base: str, options: SidesOptions, progress: Progress = no_progress) -> None:
    """Fine-tune an encoder on the training parts of all data sets below a folder, and write what it learned."""
    from pipeline.evaluation.fine_tuning import load_base, stored_head
    from pipeline.text.encoders.low_rank import changes

    encoder, digest = load_base(base)
    checkpoint = file.with_name(f"{file.stem}.checkpoint")
    taught = topics(folder, "train")
    network = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    weights, bias = stored_head(network.side, SCALE)
    others = elsewhere(taught, _ELSEWHERE, np.random.default_rng(options.seed))
    head = {"weights": weights, "bias": bias, "elsewhere": others}
    header = SidesHeader(base=base, base_digest=digest, training=asdict(options), attribution=ATTRIBUTION, head=head)
    save(file, changes(encoder), header)


def train(
    encoder: Any,
    taught: Sequence[Topic],
    options: SidesOptions,
    *,
    checkpoint: Path | None = None,
    progress: Progress = no_progress,
) -> "Trainable":
    """The network that a sentence-transformers model becomes. The encoder itself is changed.

    The same topics, options and thread count give the same weights. With a checkpoint file, a training that was killed
    goes on after its last whole epoch.
    """
    import torch
    from torch.nn import functional

    from pipeline.evaluation.fine_tuning import Trainable, descend, epochs, optimizer_of, set_rate, warmed_up
    from pipeline.text.encoders.low_rank import insert

    torch.manual_seed(options.seed)
    parameters = insert(encoder, rank=options.rank, layers=options.layers)
    network = Trainable(encoder, _LONGEST, tells_sides=True)
    optimizer = optimizer_of(parameters, list(network.side.parameters()), options.learning_rate)
    speaker = Speaker(text for topic in taught for text in (*topic.supporting, *topic.opposing))
    for epoch in epochs(checkpoint, options, network, optimizer):
        random = np.random.default_rng([options.seed, epoch])
        hard = epoch / max(options.epochs - 1, 1)
        batches = list(_batches(drawn(taught, speaker, hard, random), options.batch, random))
        for number, batch in enumerate(batches):
            step = epoch * len(batches) + number
            set_rate(optimizer, options.learning_rate * warmed_up(step, options.epochs * len(batches)))
            vectors = network.vectors([together(lesson.topic, lesson.text) for lesson in batch])
            wanted = torch.tensor([lesson.side for lesson in batch])
            loss = functional.cross_entropy(network.side(vectors * SCALE), wanted, label_smoothing=0.05)
            value = descend(optimizer, loss)
            progress(step / (options.epochs * len(batches)), f"epoch {epoch + 1}, loss {value:.3f}")
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


@click.command()
@result.out_file
@click.option(
    "--encoder", default="bge-small-en-v1.5-int8", show_default=True, help="What to fine-tune, by name or path."
)
@click.option("--layers", default=12, show_default=True, help="How many of the encoder's last layers to change.")
@click.option("--epochs", default=3, show_default=True, help="How often all texts are seen.")
@result.threads
@result.training_seed
def command(
    data: Path, progress: Progress, out: Path | None, encoder: str, layers: int, epochs: int, seed: int
) -> Trained:
    """Fine-tune an encoder on claims and arguments for and against motions.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance, of which the training parts are read.
    """
    file = out or trained_file()
    learn(data, file, base=encoder, options=SidesOptions(layers=layers, epochs=epochs, seed=seed), progress=progress)
    return Trained(file, (ATTRIBUTION,))
