"""Trains the boundary tagger on speeches that a recogniser heard, with times, and a person wrote down."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats32, Mask
from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Entry
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress, no_progress
from pipeline.records import Word
from pipeline.segment.boundary_tagger import (
    CAPITAL,
    OUTPUTS,
    BoundaryTagger,
    Inputs,
    Network,
    Thresholds,
    inputs,
    stacked,
    tagger_path,
)
from pipeline.segment.human_marks import COMMA, FULL_STOP, UNKNOWN, HumanMarks, ends_of, human_marks
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER
from pipeline.text.encoders.word_vectors import load_contextual

if TYPE_CHECKING:  # torch takes long to import
    import torch
    from torch import nn


@click.command()
@result.out_file
@click.option(
    "--encoder", default="all-MiniLM-L6-v2", show_default=True, help="The encoder that reads the words in context."
)
@click.option("--epochs", default=8, show_default=True, help="Epochs: how often every word is seen.")
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed of the first weights, and of the motions that set the thresholds.",
)
def command(data: Path, progress: Progress, out: Path | None, encoder: str, epochs: int, seed: int) -> Trained:
    """Learn to punctuate unpunctuated transcripts; the stage `segment` then does so.

    DIR is IBM's recorded debates: .asr and .trs.txt below speeches/.
    """
    chosen = TaggerOptions(encoder=encoder, epochs=epochs, seed=seed)
    tagger = train_tagger(read_speeches(data, chosen, progress), chosen, progress)
    path = out or tagger_path(None)
    tagger.save(path)
    thresholds = tagger.thresholds._asdict().items()
    return Trained(path, tuple(f"{name:10} from {threshold:.2f} on" for name, threshold in thresholds))


@dataclass(frozen=True)
class TaggerOptions:
    """How a tagger is made. `members` networks vote, each trained without a share of the motions."""

    encoder: str = DEFAULT_ENCODER
    encoder_layers: int = 4
    members: int = 3
    hidden: tuple[int, ...] = (256, 64)
    epochs: int = 8
    batch: int = 256
    rate: float = 2e-3
    weight_decay: float = 0.1
    dropout: float = 0.5
    seed: int = 0


@dataclass(frozen=True)
class Example:
    """A speech: what the recogniser heard, and a person's marks on it.

    `cleaned` has the ends of sentences in the data's own clean version of what was heard, if there is one.
    """

    motion: str
    words: tuple[Word, ...]
    human: HumanMarks
    cleaned: tuple[int, ...] | None = None


@dataclass(frozen=True)
class SeenSpeech:
    """An example, and what a network sees of it."""

    example: Example
    inputs: Inputs


def read_speeches(folder: Path, options: TaggerOptions, progress: Progress = no_progress) -> list[SeenSpeech]:
    """The examples of a folder with their inputs. This is the slow part, and the same for every training."""
    speeches = []
    given = examples(folder)
    for number, example in enumerate(given):
        progress(number / len(given), "reading words in context")
        speeches.append(SeenSpeech(example, inputs(example.words, options.encoder, options.encoder_layers)))
    return speeches


def train_tagger(
    speeches: Sequence[SeenSpeech], options: TaggerOptions, progress: Progress = no_progress
) -> BoundaryTagger:
    """Train the networks. The thresholds are the best for each network on the motions that it was trained without."""
    held = _held_out(np.array([speech.example.motion for speech in speeches]), options)
    shift, scale = _scaling([speech.inputs for speech in speeches])
    encoder = load_contextual(options.encoder, options.encoder_layers)
    untrained = BoundaryTagger(
        encoder=options.encoder,
        encoder_digest=encoder.digest,
        encoder_layers=options.encoder_layers,
        shift=shift,
        scale=scale,
        networks=(),
        thresholds=Thresholds(),
    )
    networks, votes, human = [], [], []
    for member, out in enumerate(held):
        kept = [speech for speech, is_out in zip(speeches, out, strict=True) if not is_out]
        rows = np.concatenate([stacked(speech.inputs, shift, scale) for speech in kept])
        report = _part(progress, member, len(held))
        networks.append(_fit(rows, [speech.example.human for speech in kept], options, options.seed + member, report))
        alone = replace(untrained, networks=(networks[-1],))
        unseen = [speech for speech, is_out in zip(speeches, out, strict=True) if is_out]
        votes += [alone.probabilities(speech.inputs) for speech in unseen]
        human += [speech.example.human for speech in unseen]
    return replace(untrained, networks=tuple(networks), thresholds=best_thresholds(votes, human))


def _held_out(motions: NDArray[np.str_], options: TaggerOptions) -> list[Mask]:
    """For each member of the ensemble, the examples held out: another fifth of the motions, or more of few motions."""
    names = np.unique(motions)
    if len(names) < 2:
        raise RostrumError("one motion only: thresholds are chosen on motions left out; give two motions or more")
    order = np.random.default_rng(options.seed).permutation(names)
    shares = max(2, min(len(names), max(5, options.members)))
    return [np.isin(motions, order[member % shares :: shares]) for member in range(options.members)]


def _scaling(seen: Sequence[Inputs]) -> tuple[Floats32, Floats32]:
    """(means, standard deviations) of the inputs, by which they are standardised."""
    parts = [np.concatenate(column) for column in zip(*seen, strict=True)]
    shift = np.concatenate([part.mean(axis=0) for part in parts]).astype(np.float32)
    scale = np.concatenate([part.std(axis=0) for part in parts]).astype(np.float32)
    return shift, np.maximum(scale, 1e-3)


def _part(progress: Progress, member: int, members: int) -> Progress:
    """The progress of one of several networks, as a share of the whole training."""
    return lambda share, word: progress((member + share) / members, f"network {member + 1} of {members}, {word}")


def _fit(rows: Floats32, human: Sequence[HumanMarks], options: TaggerOptions, seed: int, progress: Progress) -> Network:
    """One network, trained to predict each word's mark and case."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    features = torch.from_numpy(rows)
    # questions count as other ends of sentences: there are too few to learn them
    marks = torch.from_numpy(np.minimum(np.concatenate([marked.marks for marked in human]), FULL_STOP))
    capitals = torch.from_numpy(np.concatenate([marked.capitals for marked in human]))
    module = _module(features.shape[1], options)
    optimiser = torch.optim.AdamW(module.parameters(), options.rate, weight_decay=options.weight_decay)
    batches = -(-len(marks) // options.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, total_steps=options.epochs * batches)
    order = torch.Generator().manual_seed(seed)
    for epoch in range(options.epochs):
        total = 0.0
        for chosen in torch.split(torch.randperm(len(marks), generator=order), options.batch):
            loss = _loss(module(features[chosen]), marks[chosen], capitals[chosen])
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            total += loss.item()
        progress((epoch + 1) / options.epochs, f"loss {total / batches:.3f}")
    linear = [layer for layer in module if isinstance(layer, nn.Linear)]
    return Network(
        tuple((layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear)
    )


def _module(width: int, options: TaggerOptions) -> "nn.Sequential":
    from torch import nn

    layers: list[nn.Module] = [nn.Dropout(0.2)]
    for size in options.hidden:
        layers += [nn.Linear(width, size), nn.ReLU(), nn.Dropout(options.dropout)]
        width = size
    return nn.Sequential(*layers, nn.Linear(width, OUTPUTS))


def _loss(outputs: "torch.Tensor", marks: "torch.Tensor", capitals: "torch.Tensor") -> "torch.Tensor":
    """Cross entropy of every word's mark, and of its case where that is known."""
    from torch.nn import functional

    known = capitals != UNKNOWN
    cased = functional.binary_cross_entropy_with_logits(
        outputs[known, CAPITAL], capitals[known].float(), reduction="sum"
    )
    return functional.cross_entropy(outputs[:, :CAPITAL], marks) + 0.5 * cased / len(marks)


def best_thresholds(votes: Sequence[Floats32], human: Sequence[HumanMarks]) -> Thresholds:
    """The thresholds with the highest F1 of boundaries, commas elsewhere, and capitals within sentences."""
    inner = np.concatenate([np.arange(len(vote)) < len(vote) - 1 for vote in votes])
    scores = np.concatenate(votes)
    marks = np.concatenate([each.marks for each in human])
    capitals = np.concatenate([each.capitals for each in human])
    ends = marks >= FULL_STOP
    known = (capitals != UNKNOWN) & np.append(True, ~ends[:-1])
    return Thresholds(
        boundary=_best(scores[inner, FULL_STOP], ends[inner]),
        comma=_best(scores[~ends, COMMA], (marks == COMMA)[~ends]),
        capital=_best(scores[known, CAPITAL], (capitals == 1)[known]),
    )


def _best(scores: Floats32, labels: Mask) -> float:
    """The threshold with the highest F1; 0.5 where there is nothing to find."""
    if not labels.any():
        return 0.5
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + labels.sum())
    return float(scores[order[int(f1.argmax())]])


def examples(folder: Path) -> list[Example]:
    """The speeches of IBM's debates that have word times and a person's transcript."""
    heard = [_example(entry) for entry in open_corpus(folder).with_transcripts("asr", "trs.txt")]
    heard = [example for example in heard if example.words and len(example.human.boundaries)]
    if not heard:
        raise RostrumError(f"{folder}: no speech has both .asr (word times) and .trs.txt (a person's sentences)")
    return heard


def _example(entry: Entry) -> Example:
    words = entry.words()
    return Example(
        motion=entry.speech.motion or "",
        words=words,
        human=human_marks(words, entry.lines("trs.txt")),
        cleaned=tuple(ends_of(words, entry.lines("asr.txt"))) if "asr.txt" in entry.transcripts else None,
    )
