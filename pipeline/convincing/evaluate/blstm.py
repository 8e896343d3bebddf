"""The published bidirectional LSTM: word vectors in, 64 units each way, dropout, one number out.

As published both texts of a pair are one sequence, and ranks are learned from single texts with the mean absolute
error. The project's own form reads each text by itself with the same network and compares two numbers: a text is read
once for all of its pairs, which is many times faster, and swapping two arguments swaps the answer.

Two things differ from the published network. Batches are of sequences of like length, padded to the longest of them
and not to 300 words. Ranks are standardised: PageRanks lie around .03, and a network that starts near 0 learns nothing
from them in five epochs.
"""

import copy
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats32, Integers, Mask, Vector
from pipeline.convincing.evaluate.judging import Fold, Judgement, Method, MethodOptions, Pool

if TYPE_CHECKING:
    from pipeline.text.encoders.word_vectors import WordVectors


UNITS, DROPOUT = 64, 0.5
EPOCHS = 5
SHARED_EPOCHS = 40
PATIENCE = 4
BATCH = 32
# How many words are read of a pair, and of a single text to be ranked: the last ones.
PAIR_WORDS, RANKED_WORDS = 300, 150
# The most frequent words; others count as unknown.
VOCABULARY = 20_000
# Number 0 is padding, 1 the boundary of a text, 2 an unknown word.
_PADDING, _BOUNDARY, _UNKNOWN = range(3)


class Words:
    """Texts as word indices, and the vector of each word. One without a vector begins with that of unknown words."""

    def __init__(self, texts: Sequence[str], vectors: "WordVectors") -> None:
        split = [words_of(text) for text in texts]
        frequent = [word for word, _ in Counter(word for words in split for word in words).most_common(VOCABULARY)]
        number = {word: i for i, word in enumerate(frequent, 3)}
        self.ids = [[number.get(word, _UNKNOWN) for word in words] for words in split]
        special = np.random.default_rng(0).uniform(-0.1, 0.1, (3, vectors.dimensions))
        special[_PADDING] = 0.0
        known, table = vectors.matrix(frequent)
        rows = np.tile(special[_UNKNOWN], (len(frequent), 1))
        rows[[number[word] - 3 for word in known]] = table
        self.table = np.concatenate([special, rows]).astype(np.float32)


def words_of(text: str) -> list[str]:
    """The words and marks of a text, as the published system splits it, in ASCII."""
    from nltk.tokenize.casual import TweetTokenizer

    words = (unicodedata.normalize("NFKD", word) for word in TweetTokenizer().tokenize(text))
    return [word.encode("ascii", "ignore").decode() for word in words]


def _network(table: Floats32) -> Any:
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(len(table), table.shape[1], _weight=torch.from_numpy(table.copy()))
            self.lstm = nn.LSTM(table.shape[1], UNITS, batch_first=True, bidirectional=True)
            self.dropout = nn.Dropout(DROPOUT)
            self.out = nn.Linear(2 * UNITS, 1)
            for name, weights in self.lstm.named_parameters():
                _initialise(name, weights)

        def forward(self, ids: Any, lengths: Any = None) -> Any:
            words = self.words(ids)
            if lengths is not None:
                words = nn.utils.rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
            _, (last, _) = self.lstm(words)
            return self.out(self.dropout(torch.cat([last[0], last[1]], dim=1))).squeeze(1)

    return Network()


def _initialise(name: str, weights: Any) -> None:
    """Initialise weights as the published network does; the forget gates begin open."""
    from torch import nn

    if name.startswith("weight_ih"):
        nn.init.xavier_uniform_(weights)
    elif name.startswith("weight_hh"):
        nn.init.orthogonal_(weights)
    else:
        nn.init.zeros_(weights)
        if name.startswith("bias_ih"):
            nn.init.ones_(weights[UNITS : 2 * UNITS])


def _padded(sequences: Sequence[Sequence[int]]) -> Any:
    """The sequences as one tensor, padded on the left."""
    import torch

    longest = max(1, *map(len, sequences))
    return torch.tensor([[*[_PADDING] * (longest - len(sequence)), *sequence] for sequence in sequences])


def _with_lengths(sequences: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """The sequences as one tensor, padded on the right, and their lengths."""
    import torch

    lengths = [max(1, len(sequence)) for sequence in sequences]
    rows = [[*sequence, *[_PADDING] * (max(lengths) - len(sequence))] for sequence in sequences]
    return torch.tensor(rows), torch.tensor(lengths)


def shared_utilities(
    words: Words,
    topic_of: Integers,
    train: Integers,
    first_wins: Mask,
    *,
    epochs: int = SHARED_EPOCHS,
    seed: int = 0,
) -> Vector:
    """The utility of each text, learned from pairs; a higher one is more convincing."""
    import torch

    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    network = _network(words.table)
    topic_of_pair = topic_of[train[:, 0]]
    own_pairs = [np.flatnonzero(topic_of_pair == topic) for topic in random.permutation(np.unique(topic_of_pair))]
    topics = [_Topic.from_pairs(words, train[own], first_wins[own]) for own in own_pairs]
    _train_until_best(network, topics, epochs, random)
    with torch.no_grad():
        parts = [network(*_with_lengths(words.ids[i : i + 256])).numpy() for i in range(0, len(words.ids), 256)]
    return np.concatenate(parts).astype(np.float64)


def _train_until_best(network: Any, topics: Sequence["_Topic"], epochs: int, random: np.random.Generator) -> None:
    """Train on nine of ten topics with early stopping on the others; the network keeps its best weights."""
    import torch

    optimizer = torch.optim.Adam(network.parameters())
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
        if not since:
            best_loss, best = loss, copy.deepcopy(network.state_dict())
        elif since == PATIENCE:
            break
    network.load_state_dict(best)


@dataclass(frozen=True)
class _Topic:
    """The texts of one topic as a batch, and its pairs by their rows in it."""

    batch: tuple[Any, Any]
    first: Any
    second: Any
    target: Any

    @classmethod
    def from_pairs(cls, words: Words, pairs: Integers, first_wins: Mask) -> "_Topic":
        import torch

        texts, rows = np.unique(pairs, return_inverse=True)
        first, second = torch.from_numpy(rows.reshape(-1, 2)).T
        target = torch.from_numpy(first_wins.astype(np.float32))
        return cls(_with_lengths([words.ids[i] for i in texts]), first, second, target)

    def loss(self, network: Any) -> Any:
        from torch.nn.functional import binary_cross_entropy_with_logits

        scores = network(*self.batch)
        return binary_cross_entropy_with_logits(scores[self.first] - scores[self.second], self.target)


def joined_margins(
    words: Words, train: Integers, first_wins: Mask, test: Integers, *, epochs: int = EPOCHS, seed: int = 0
) -> Vector:
    """The margin of each test pair, positive where the first text wins; both texts are read as one sequence."""

    def joined(pair: Integers) -> list[int]:
        first, second = (words.ids[i] for i in pair)
        return [_BOUNDARY, *first, _BOUNDARY, *second][-PAIR_WORDS:]

    return _trained(words, [joined(pair) for pair in train], first_wins, [joined(pair) for pair in test], epochs, seed)


def predicted_ranks(words: Words, train: Integers, ranks: Vector, test: Integers, seed: int = 0) -> Vector:
    """Ranks of the test texts, by the network trained on ranks instead of pairs."""
    sequences = [[_BOUNDARY, *ids, _BOUNDARY][-RANKED_WORDS:] for ids in words.ids]
    mean, spread = ranks.mean(), ranks.std() or 1.0
    learned, judged = ([sequences[i] for i in part] for part in (train, test))
    predicted = _trained(words, learned, (ranks - mean) / spread, judged, EPOCHS, seed, ranks=True)
    return np.asarray(predicted * spread + mean)


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
    random = np.random.default_rng(seed)
    network = _network(words.table)
    optimizer = torch.optim.Adam(network.parameters())
    loss_of: Callable[..., Any] = l1_loss if ranks else binary_cross_entropy_with_logits
    for _ in range(epochs):
        for batch in _batches_of_like_length([len(sequence) for sequence in sequences], random):
            predicted = network(_padded([sequences[i] for i in batch]))
            loss = loss_of(predicted, torch.from_numpy(targets[batch].astype(np.float32)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return _predictions(network, test)


def _batches_of_like_length(lengths: Sequence[int], random: np.random.Generator) -> Iterator[Integers]:
    """Batches of similar length, in random order."""
    order = np.argsort(np.array(lengths) + random.uniform(0, 20, len(lengths)))
    batches = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
    for number in random.permutation(len(batches)):
        yield batches[number]


def _predictions(network: Any, sequences: Sequence[Sequence[int]]) -> Vector:
    import torch

    network.eval()
    order = np.argsort([len(sequence) for sequence in sequences], kind="stable")
    predictions = np.zeros(len(sequences))
    with torch.no_grad():
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            predictions[batch] = network(_padded([sequences[i] for i in batch])).numpy()
    return predictions


def _words(pool: Pool) -> Words:
    from pipeline.text.encoders.word_vectors import load_vectors

    return pool.once("blstm words", lambda: Words(pool.texts, load_vectors(pool.options.vectors)))


def _ranks(pool: Pool, fold: Fold) -> Vector | None:
    if not fold.ranks:
        return None
    return predicted_ranks(_words(pool), fold.train_ranked, fold.train_ranks, fold.test_ranked, pool.options.seed)


def _joined(pool: Pool, fold: Fold) -> Judgement:
    margins = joined_margins(_words(pool), fold.train, fold.first_wins, fold.test, seed=pool.options.seed)
    return Judgement(margins, ranks=_ranks(pool, fold))


def _shared(pool: Pool, fold: Fold) -> Judgement:
    utilities = shared_utilities(_words(pool), pool.topic_of, fold.train, fold.first_wins, seed=pool.options.seed)
    return Judgement(utilities[fold.test[:, 0]] - utilities[fold.test[:, 1]], ranks=_ranks(pool, fold))


def _needs(options: MethodOptions) -> dict[str, str]:
    from pipeline.text.encoders.word_vectors import load_vectors

    vectors = load_vectors(options.vectors)
    return {"vectors": f"{vectors.name} {vectors.digest[:12]}", "torch": version("torch")}


# It takes minutes for a topic, so it runs only by name.
PUBLISHED = Method("blstm", "published", _joined, version=2, needs=_needs, chosen=False)
TEXT_BY_TEXT = Method("blstm, text by text", "ours", _shared, version=3, needs=_needs)
