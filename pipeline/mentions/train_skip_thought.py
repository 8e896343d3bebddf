"""A sentence encoder (skip-thought) from a folder of text."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_sequence, pad_sequence

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.fine_tuning import descend, epochs
from pipeline.evaluation.result import Trained
from pipeline.mentions.evaluate.encoders import UNKNOWN, published_layout, words_of
from pipeline.progress import Progress, no_progress
from pipeline.system.files import read_text
from pipeline.text.encoders.word_vectors import WordVectors
from pipeline.text.sentences import split


@click.command()
@result.out_folder
@click.option("--dimensions", default=300, show_default=True, help="Dimensions of a sentence's vector.")
@click.option("--vocabulary", default=8000, show_default=True, help="Size of the vocabulary: the most frequent words.")
@click.option("--epochs", default=5, show_default=True, help="Epochs: how often every sentence is seen.")
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the first weights and of the order of the sentences."
)
@click.option("--vectors", help="Word vectors by name or path, to read words that were not in the texts.")
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    dimensions: int,
    vocabulary: int,
    epochs: int,
    seed: int,
    vectors: str | None,
) -> Trained:
    """Train a sentence encoder on a folder of text. A training that was stopped goes on where it was.

    DIR has .txt files. Each is a document whose sentences follow one another.
    """
    from pipeline.models.places import cache_folder
    from pipeline.text.encoders.word_vectors import load_vectors

    folder = out or cache_folder() / "skip-thought"
    chosen = SkipThoughtOptions(dimensions=dimensions, vocabulary=vocabulary, epochs=epochs, seed=seed)
    known = load_vectors(vectors) if vectors else None
    train(read_documents(data), folder, chosen, vectors=known, progress=progress)
    return Trained(folder)


# Training of skip-thought vectors: from a sentence's vector, two decoders predict the sentences before and after.

# The words of each sentence of each document.
Texts = Sequence[Sequence[Sequence[str]]]
# A sentence, the one before and the one after, as rows of the table.
Triple = tuple[list[int], list[int], list[int]]

END = "<eos>"
_MAX_WORDS = 30
_EXPANSION = 20_000
_PADDING = -100  # what torch's cross entropy leaves out


@dataclass(frozen=True)
class SkipThoughtOptions:
    """The sizes and the course of a training. `texts` is the digest of what it learns from."""

    dimensions: int = 300
    word_dimensions: int = 100
    vocabulary: int = 8000
    epochs: int = 5
    batch: int = 32
    learning_rate: float = 1e-3
    seed: int = 0
    texts: str = ""


def train(
    documents: Sequence[Sequence[str]],
    folder: Path,
    options: SkipThoughtOptions,
    *,
    vectors: WordVectors | None = None,
    progress: Progress = no_progress,
) -> None:
    """Train on documents, each a list of sentences, and write the model into `folder` in the published layout.

    A training that was stopped goes on after its last whole epoch. With `vectors` the table is extended to their most
    frequent words, by the linear map that fits the words of both best (the paper's vocabulary expansion).
    """
    texts = [[_words(sentence) for sentence in document] for document in documents]
    vocabulary = _vocabulary(texts, options.vocabulary)
    triples = list(_triples(texts, vocabulary))
    if not triples:
        raise RostrumError("no three sentences in a row to train on; give longer texts, with one sentence per line")
    options = replace(options, texts=hashlib.sha256(json.dumps(texts).encode()).hexdigest())
    torch.manual_seed(options.seed)
    model = Network(len(vocabulary), options)
    optimizer = torch.optim.Adam([each for each in model.parameters() if each.requires_grad], lr=options.learning_rate)
    for epoch in epochs(folder / "training.checkpoint", options, model, optimizer):
        order = np.random.default_rng([options.seed, epoch]).permutation(len(triples))
        batches = [order[start : start + options.batch] for start in range(0, len(order), options.batch)]
        total = 0.0
        for number, batch in enumerate(batches, start=1):
            total += descend(optimizer, model.loss([triples[place] for place in batch]), longest=10.0)
            share = (epoch + number / len(batches)) / options.epochs
            progress(share, f"epoch {epoch + 1}, loss {total / number:.3f}")
    _write(folder, model, list(vocabulary), vectors)


def read_documents(folder: Path) -> list[list[str]]:
    """The sentences of each text file below a folder."""
    files = sorted(folder.rglob("*.txt"))
    if not files:
        raise RostrumError(f"{folder}: no .txt file in it")
    texts = (read_text(file, fallback="iso-8859-1") for file in files)
    return [[sentence for line in text.splitlines() for sentence in split(line)] for text in texts]


def _words(sentence: str) -> list[str]:
    return [word.lower() for word in words_of(sentence)][:_MAX_WORDS]


def _vocabulary(texts: Texts, size: int) -> dict[str, int]:
    counts = Counter(word for document in texts for sentence in document for word in sentence)
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:size]
    return {word: row for row, word in enumerate([END, UNKNOWN, *frequent])}


def _triples(texts: Texts, vocabulary: dict[str, int]) -> Iterator[Triple]:
    unknown = vocabulary[UNKNOWN]
    for document in texts:
        rows = [[vocabulary.get(word, unknown) for word in sentence] for sentence in document if sentence]
        for before, sentence, after in zip(rows, rows[1:], rows[2:], strict=False):
            yield sentence, before, after


class Network(nn.Module):
    """The encoder that is kept, and the two decoders that teach it."""

    def __init__(self, words: int, options: SkipThoughtOptions) -> None:
        super().__init__()
        size, inputs = options.dimensions, options.word_dimensions
        self.table = nn.Embedding(words, inputs)
        self.encoder = nn.GRU(inputs, size)
        # a decoder reads the word before and, at every step, the sentence's vector
        self.before = nn.GRU(inputs + size, size, batch_first=True)
        self.after = nn.GRU(inputs + size, size, batch_first=True)
        self.output = nn.Linear(size, words)
        # the published layout has one bias per gate
        bias: Any = self.encoder.bias_hh_l0
        nn.init.zeros_(bias)
        bias.requires_grad = False

    def loss(self, batch: Sequence[Triple]) -> torch.Tensor:
        """Mean negative log-likelihood of a word of the neighbouring sentences."""
        sentences, before, after = zip(*batch, strict=True)
        read = [self.table(torch.tensor(sentence)) for sentence in sentences]
        thought = self.encoder(pack_sequence(read, enforce_sorted=False))[1][0]
        return (self._decoded(self.before, thought, before) + self._decoded(self.after, thought, after)) / 2

    def _decoded(self, decoder: nn.GRU, thought: torch.Tensor, sentences: Sequence[list[int]]) -> torch.Tensor:
        ended = [torch.tensor([*sentence, 0]) for sentence in sentences]
        targets = pad_sequence(ended, batch_first=True, padding_value=_PADDING)
        previous = torch.cat([torch.zeros(len(sentences), 1, dtype=torch.long), targets[:, :-1].clamp(min=0)], dim=1)
        inputs = torch.cat([self.table(previous), thought[:, None].expand(-1, previous.shape[1], -1)], dim=2)
        states, _ = decoder(inputs)
        wanted = targets != _PADDING
        return functional.cross_entropy(self.output(states[wanted]), targets[wanted])


def _write(folder: Path, model: Network, words: list[str], vectors: WordVectors | None) -> None:
    table = model.table.weight.detach().numpy()
    if vectors:
        words, table = expanded(words, table, vectors)
    arrays: dict[str, Any] = published_layout(model.encoder)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "uni_skip.npz", **arrays)
    np.save(folder / "utable.npy", table)
    (folder / "dictionary.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")


def expanded(words: list[str], table: Floats32, vectors: WordVectors) -> tuple[list[str], Floats32]:
    """The table with the most frequent words of `vectors` added, mapped by least squares over the words of both."""
    shared, known = vectors.matrix(words)
    rows = {word: row for row, word in enumerate(words)}
    mapping, *_ = np.linalg.lstsq(known, table[[rows[word] for word in shared]], rcond=None)
    new = [word for word in list(vectors.rows)[:_EXPANSION] if word not in rows]
    return [*words, *new], np.vstack([table, vectors.matrix(new)[1] @ mapping]).astype(np.float32)
