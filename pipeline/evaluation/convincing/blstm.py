"""The published bidirectional LSTM: word vectors in, 64 units each way, dropout, one number out.

Two ways of judging a pair. `joined` is the published one: both texts in one sequence. `shared` reads every text on its
own with the same network and compares two numbers: a text is read once for all of its pairs, which is many times
faster, and swapping two arguments swaps the answer.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.text.terms import tokens

if TYPE_CHECKING:
    from pipeline.text.encoders.word_vectors import WordVectors

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]

UNITS = 64
DROPOUT = 0.5
EPOCHS = 5
SHARED_EPOCHS = 40
PATIENCE = 4
BATCH = 32
MAX_WORDS = 300
# Number 0 stands for a word without a vector, 1 for the boundary of a text.
_UNKNOWN, _BOUNDARY = 0, 1


class Words:
    """Texts as rows of a table of word vectors: only the words that occur."""

    def __init__(self, texts: Sequence[str], vectors: "WordVectors") -> None:
        split = [tokens(text)[:MAX_WORDS] for text in texts]
        found, table = vectors.matrix(sorted({word for words in split for word in words}))
        number = {word: i for i, word in enumerate(found, 2)}
        self.ids = [[number.get(word, _UNKNOWN) for word in words] for words in split]
        special = np.random.default_rng(0).normal(0.0, table.std() if len(table) else 1.0, (2, vectors.dimensions))
        self.table = np.concatenate([special, table]).astype(np.float32)


def _network(table: NDArray[np.float32]) -> Any:
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(len(table), table.shape[1], _weight=torch.from_numpy(table.copy()))
            self.lstm = nn.LSTM(table.shape[1], UNITS, batch_first=True, bidirectional=True)
            self.dropout = nn.Dropout(DROPOUT)
            self.out = nn.Linear(2 * UNITS, 1)

        def forward(self, ids: Any, lengths: Any) -> Any:
            packed = nn.utils.rnn.pack_padded_sequence(self.words(ids), lengths, batch_first=True, enforce_sorted=False)
            _, (last, _) = self.lstm(packed)
            return self.out(self.dropout(torch.cat([last[0], last[1]], dim=1))).squeeze(1)

    return Network()


def _padded(sequences: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    import torch

    lengths = torch.tensor([max(len(ids), 1) for ids in sequences])
    ids = torch.full((len(sequences), int(lengths.max())), _UNKNOWN)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence, dtype=torch.long)
    return ids, lengths


def shared_utilities(
    words: Words,
    topic_of: Integers,
    train: Integers,
    first_wins: NDArray[np.bool_],
    *,
    epochs: int = SHARED_EPOCHS,
    seed: int = 0,
) -> Vector:
    """One number a text, the higher the more convincing; learned topic by topic from pairs of texts.

    Of the training topics one in ten is held out, and learning stops when it no longer helps on those.
    """
    import torch

    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    network = _network(words.table)
    optimizer = torch.optim.Adam(network.parameters())
    topics = [_Topic.of(words, train[at], first_wins[at]) for at in _by_topic(topic_of[train[:, 0]], random)]
    held_out = topics[: max(len(topics) // 10, 1)]
    best, best_loss, since = network.state_dict(), np.inf, 0
    for _ in range(epochs):
        network.train()
        for number in random.permutation(np.arange(len(held_out), len(topics))):
            optimizer.zero_grad()
            topics[number].loss(network).backward()
            optimizer.step()
        network.eval()
        with torch.no_grad():
            loss = float(np.mean([float(topic.loss(network)) for topic in held_out]))
        since = 0 if loss < best_loss else since + 1
        if since == 0:
            best_loss, best = loss, copy.deepcopy(network.state_dict())
        elif since == PATIENCE:
            break
    network.load_state_dict(best)
    return _predictions(network, words.ids)


@dataclass(frozen=True)
class _Topic:
    """The texts of one topic as a batch, and its pairs by their places in it."""

    batch: tuple[Any, Any]
    first: Any
    second: Any
    target: Any

    @classmethod
    def of(cls, words: Words, pairs: Integers, first_wins: NDArray[np.bool_]) -> "_Topic":
        import torch

        texts, places = np.unique(pairs, return_inverse=True)
        first, second = torch.from_numpy(places.reshape(-1, 2)).T
        target = torch.from_numpy(first_wins.astype(np.float32))
        return cls(_padded([words.ids[i] for i in texts]), first, second, target)

    def loss(self, network: Any) -> Any:
        from torch.nn.functional import binary_cross_entropy_with_logits

        scores = network(*self.batch)
        return binary_cross_entropy_with_logits(scores[self.first] - scores[self.second], self.target)


def _by_topic(topics: Integers, random: np.random.Generator) -> list[Integers]:
    """The places of each topic's pairs, topics in random order."""
    return [np.flatnonzero(topics == topic) for topic in random.permutation(np.unique(topics))]


def joined_margins(
    words: Words, train: Integers, first_wins: NDArray[np.bool_], test: Integers, *, epochs: int = EPOCHS, seed: int = 0
) -> Vector:
    """One number a test pair, positive where the first text wins; both texts read as one sequence."""

    def joined(pair: Integers) -> list[int]:
        first, second = (words.ids[i] for i in pair)
        return [_BOUNDARY, *first, _BOUNDARY, *second]

    return _trained(words, [joined(pair) for pair in train], first_wins, [joined(pair) for pair in test], epochs, seed)


def predicted_ranks(words: Words, train: Integers, ranks: Vector, test: Integers, seed: int = 0) -> Vector:
    """Ranks of the test texts, by the network trained on ranks instead of pairs."""
    sequences = [words.ids[i] for i in train]
    return _trained(words, sequences, ranks, [words.ids[i] for i in test], EPOCHS, seed, ranks=True)


def _trained(
    words: Words,
    sequences: Sequence[Sequence[int]],
    targets: NDArray[Any],
    test: Sequence[Sequence[int]],
    epochs: int,
    seed: int,
    *,
    ranks: bool = False,
) -> Vector:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, l1_loss

    torch.manual_seed(seed)
    network = _network(words.table)
    optimizer = torch.optim.Adam(network.parameters())
    loss_of: Callable[..., Any] = l1_loss if ranks else binary_cross_entropy_with_logits
    random = np.random.default_rng(seed)
    for _ in range(epochs):
        for batch in _batches_of_like_length([len(sequence) for sequence in sequences], random):
            predicted = network(*_padded([sequences[i] for i in batch]))
            loss = loss_of(predicted, torch.from_numpy(targets[batch].astype(np.float32)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return _predictions(network, test)


def _batches_of_like_length(lengths: Sequence[int], random: np.random.Generator) -> Iterator[Integers]:
    """Batches in random order, the lengths within one nearly the same."""
    order = np.argsort(np.array(lengths) + random.uniform(0, 20, len(lengths)))
    batches = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
    for number in random.permutation(len(batches)):
        yield batches[number]


def _predictions(network: Any, sequences: Sequence[Sequence[int]]) -> Vector:
    import torch

    network.eval()
    with torch.no_grad():
        parts = [network(*_padded(sequences[i : i + 256])).numpy() for i in range(0, len(sequences), 256)]
    return np.concatenate([*parts, np.zeros(0)]).astype(np.float64)
