"""Training of skip-thought vectors: from a sentence's vector, two decoders predict the sentences before and after."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.evaluation.listening.encoders.skip_thought import UNKNOWN, published_layout, words_of
from pipeline.text.encoders.word_vectors import WordVectors
from pipeline.text.sentences.punkt import split

# Called with the epoch, the share of it that is done, and the loss in nats per word.
Progress = Callable[[int, float, float], None]
Triple = tuple[list[int], list[int], list[int]]

END = "<eos>"
_CHECKPOINT = "training.safetensors"
_MAX_WORDS = 30
_EXPANSION = 20_000


@dataclass(frozen=True)
class SkipThoughtOptions:
    """The sizes and the course of a training."""

    dimensions: int = 300
    word_dimensions: int = 100
    vocabulary: int = 8000
    epochs: int = 5
    batch: int = 32
    learning_rate: float = 1e-3
    seed: int = 0


def train(
    documents: Sequence[Sequence[str]],
    folder: Path,
    options: SkipThoughtOptions,
    *,
    vectors: WordVectors | None = None,
    progress: Progress = lambda *_: None,
) -> None:
    """Train on documents, each a list of sentences, and write the model into `folder` in the published layout.

    A training that was stopped goes on after its last whole epoch. With `vectors` the table is extended to their most
    frequent words, by the linear map that fits the words of both best (the paper's vocabulary expansion).
    """
    import torch

    texts = [[_words(sentence) for sentence in document] for document in documents]
    vocabulary = _vocabulary(texts, options.vocabulary)
    triples = list(_triples(texts, vocabulary))
    if not triples:
        raise RostrumError("no three sentences in a row to train on; give longer texts, with one sentence per line")
    torch.manual_seed(options.seed)
    model = _model(len(vocabulary), options)
    optimizer = torch.optim.Adam([each for each in model.parameters() if each.requires_grad], lr=options.learning_rate)
    folder.mkdir(parents=True, exist_ok=True)
    for epoch in range(_resume(folder / _CHECKPOINT, model, optimizer, len(vocabulary)), options.epochs):
        _epoch(model, optimizer, triples, options, epoch, progress)
        _checkpoint(folder / _CHECKPOINT, model, optimizer, epoch + 1)
    _write(folder, model, list(vocabulary), vectors)
    (folder / _CHECKPOINT).unlink(missing_ok=True)


def read_documents(folder: Path) -> list[list[str]]:
    """The sentences of each text file below a folder."""
    files = sorted(folder.rglob("*.txt"))
    if not files:
        raise RostrumError(f"{folder}: no .txt file in it")
    return [[sentence for line in _lines(file) for sentence in split(line)] for file in files]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return file.read_text(encoding="iso-8859-1").splitlines()


def _words(sentence: str) -> list[str]:
    return [word.lower() for word in words_of(sentence)][:_MAX_WORDS]


def _vocabulary(texts: Sequence[Sequence[Sequence[str]]], size: int) -> dict[str, int]:
    counts = Counter(word for document in texts for sentence in document for word in sentence)
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:size]
    return {word: row for row, word in enumerate([END, UNKNOWN, *frequent])}


def _triples(texts: Sequence[Sequence[Sequence[str]]], vocabulary: dict[str, int]) -> Iterator[Triple]:
    """(sentence, the one before, the one after), as rows of the table."""
    unknown = vocabulary[UNKNOWN]
    for document in texts:
        rows = [[vocabulary.get(word, unknown) for word in sentence] for sentence in document if sentence]
        for before, sentence, after in zip(rows, rows[1:], rows[2:], strict=False):
            yield sentence, before, after


def _model(words: int, options: SkipThoughtOptions) -> Any:
    from torch import nn

    model = nn.ModuleDict(
        {
            "table": nn.Embedding(words, options.word_dimensions),
            "encoder": nn.GRU(options.word_dimensions, options.dimensions, batch_first=True),
            # a decoder reads the word before and, at every step, the sentence's vector
            "before": nn.GRU(options.word_dimensions + options.dimensions, options.dimensions, batch_first=True),
            "after": nn.GRU(options.word_dimensions + options.dimensions, options.dimensions, batch_first=True),
            "output": nn.Linear(options.dimensions, words),
        }
    )
    # the published layout has one bias per gate
    bias: Any = model["encoder"].bias_hh_l0
    nn.init.zeros_(bias)
    bias.requires_grad = False
    return model


def _epoch(
    model: Any, optimizer: Any, triples: list[Triple], options: SkipThoughtOptions, epoch: int, progress: Progress
) -> None:
    import torch

    order = np.random.default_rng([options.seed, epoch]).permutation(len(triples))
    total, count = 0.0, 0
    for start in range(0, len(order), options.batch):
        loss = _loss(model, [triples[i] for i in order[start : start + options.batch]])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        total, count = total + float(loss.detach()), count + 1
        progress(epoch + 1, min(1.0, (start + options.batch) / len(order)), total / count)


def _loss(model: Any, batch: list[Triple]) -> Any:
    """Mean negative log-likelihood of a word of the neighbouring sentences."""
    import torch
    from torch.nn.utils.rnn import pack_sequence

    table = model["table"]
    sentences = pack_sequence([table(torch.tensor(sentence)) for sentence, _, _ in batch], enforce_sorted=False)
    thought = model["encoder"](sentences)[1][0]
    losses = [
        _decoder_loss(model, name, thought, [triple[side] for triple in batch])
        for side, name in ((1, "before"), (2, "after"))
    ]
    return sum(losses) / 2


def _decoder_loss(model: Any, name: str, thought: Any, sentences: list[list[int]]) -> Any:
    import torch
    from torch.nn.utils.rnn import pad_sequence

    ignored = -100
    targets = pad_sequence([torch.tensor([*each, 0]) for each in sentences], batch_first=True, padding_value=ignored)
    previous = torch.cat([torch.zeros(len(sentences), 1, dtype=torch.long), targets[:, :-1].clamp(min=0)], dim=1)
    inputs = torch.cat([model["table"](previous), thought[:, None].expand(-1, previous.shape[1], -1)], dim=2)
    states, _ = model[name](inputs)
    wanted = targets != ignored
    return torch.nn.functional.cross_entropy(model["output"](states[wanted]), targets[wanted])


def _checkpoint(path: Path, model: Any, optimizer: Any, epochs: int) -> None:
    import torch
    from safetensors.torch import save_file

    tensors = {f"model.{name}": value.contiguous() for name, value in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
    temporary = path.with_suffix(".part")
    save_file(tensors, temporary, {"epochs": str(epochs)})
    temporary.replace(path)


def _resume(path: Path, model: Any, optimizer: Any, words: int) -> int:
    """Load the state of a stopped training. Returns how many epochs are done."""
    from safetensors import safe_open

    if not path.exists():
        return 0
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no dictionary
        epochs = int(file.metadata()["epochs"])
    if tensors["model.table.weight"].shape != model["table"].weight.shape:
        raise RostrumError(f"{path}: left by a training with other options or texts; remove it to begin anew")
    model.load_state_dict({name[6:]: value for name, value in tensors.items() if name.startswith("model.")})
    states: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer."):
            _, number, key = name.split(".")
            states.setdefault(int(number), {})[key] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    return epochs


def _write(folder: Path, model: Any, words: list[str], vectors: WordVectors | None) -> None:
    table = model["table"].weight.detach().numpy()
    if vectors:
        words, table = expanded(words, table, vectors)
    arrays: dict[str, Any] = published_layout(model["encoder"])
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
