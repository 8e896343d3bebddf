"""What is judged by what has learned from what: folds, the protocol of a method, and judgements kept on disk."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from pipeline.arrays import Floats, Integers, Mask, Vector
from pipeline.convincing.evaluate.data import ArgumentPairs, different_sets, joined, read_pairs
from pipeline.convincing.representation import ENCODER, View, described
from pipeline.errors import RostrumError
from pipeline.system.files import write_file
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.encoders.word_vectors import DEFAULT_VECTORS

T = TypeVar("T")


@dataclass(frozen=True)
class MethodOptions:
    """Options that all methods share: the seed, and word vectors by name or path."""

    seed: int = 0
    vectors: str = DEFAULT_VECTORS


DEFAULT_OPTIONS = MethodOptions()


@dataclass
class Pool:
    """All texts that are learned from or judged, by number. Values that several methods compute are cached."""

    texts: tuple[str, ...]
    topic_of: Integers
    options: MethodOptions = DEFAULT_OPTIONS
    _computed: dict[str, Any] = field(default_factory=dict)

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """The value of that name, computed once."""
        if name not in self._computed:
            self._computed[name] = compute()
        value: T = self._computed[name]
        return value

    def seen(self, view: View) -> Floats:
        """The rows of all texts as the project's own methods see them: surface features and the encoder's vectors."""
        return self.once(f"view {view.name}", lambda: described(self.texts, self.topic_of, view, _encoder()))


@dataclass(frozen=True)
class Fold:
    """Pairs (rows of two text numbers) and ranked texts to learn from, and others to judge.

    `test_places` and `ranked_places` say where these others are among all that are judged.
    """

    train: Integers
    first_wins: Mask
    train_ranked: Integers
    train_ranks: Vector
    test: Integers
    test_ranked: Integers
    test_places: Integers
    ranked_places: Integers

    @property
    def both_answers(self) -> bool:
        """Whether there are pairs to learn from whose first text wins, and pairs whose second does."""
        return bool(self.first_wins.any() and not self.first_wins.all())

    @property
    def ranks(self) -> bool:
        """Whether there are ranks to learn from and texts to be ranked."""
        return bool(len(self.train_ranked) and len(self.test_ranked))


@dataclass(frozen=True)
class Judgement:
    """A margin for each test pair, positive where the first wins; probabilities and ranks where the method has them."""

    margins: Vector
    probabilities: Vector | None = None
    ranks: Vector | None = None


def needs_nothing(_: MethodOptions) -> dict[str, str]:
    return {}


def needs_encoder(_: MethodOptions) -> dict[str, str]:
    """The encoder of `Pool.seen` with its digest, for a method's `needs`."""
    return {"encoder": f"{ENCODER} {_encoder().digest[:12]}"}


def _encoder() -> Encoder:
    from pipeline.text.encoders.sentence_encoder import load_encoder

    return load_encoder(ENCODER)


@dataclass(frozen=True)
class Method:
    """A row of the table.

    `kind` says whether it is a baseline, a published method, or one of this project's. A changed `version` makes stored
    judgements void. `needs` names what the method uses besides the data, for the signature, and raises an error if that
    is missing. A method that is not `chosen` runs only if it is named; `fast` ones take seconds per topic. One that
    `needs_both_answers` learns nothing from pairs whose first text always wins.
    """

    name: str
    kind: Literal["baseline", "published", "ours"]
    judge: Callable[[Pool, Fold], Judgement]
    version: int = 1
    needs: Callable[[MethodOptions], dict[str, str]] = needs_nothing
    fast: bool = False
    chosen: bool = True
    needs_both_answers: bool = False
    trained_on: str | None = None


def by_utility(
    pool: Pool, fold: Fold, utilities: Vector, probabilities: Callable[[Vector], Vector] | None = None
) -> Judgement:
    """The judgement by utilities: a pair by their difference, a text's rank by its utility less its topic's mean."""
    margins = utilities[fold.test[:, 0]] - utilities[fold.test[:, 1]]
    ranks = utilities[fold.test_ranked].copy()
    topics = pool.topic_of[fold.test_ranked]
    for topic in np.unique(topics):
        ranks[topics == topic] -= ranks[topics == topic].mean()
    return Judgement(margins, probabilities(margins) if probabilities else None, ranks)


@dataclass(frozen=True)
class Experiment:
    """One set to be judged, cut into folds; `texts` are those of training and test.

    `learned_from` names the other set or sets that it is judged by, if it is.
    """

    judged: ArgumentPairs
    texts: tuple[str, ...]
    topic_of: Integers
    folds: tuple[Fold, ...]
    learned_from: str = ""

    @property
    def digest(self) -> str:
        """Digest of the training and test data."""
        content = hashlib.sha256(json.dumps([self.texts, self.topic_of.tolist()]).encode())
        for fold in self.folds:
            for array in (fold.train, fold.first_wins, fold.train_ranked, fold.train_ranks, fold.test):
                content.update(np.ascontiguousarray(array).tobytes())
        return content.hexdigest()


def cross_topic(pairs: ArgumentPairs) -> Experiment:
    """Leave-one-topic-out cross-validation: one fold per topic."""
    if len(pairs.topics) < 3:
        raise RostrumError(f"{pairs.name}: {len(pairs.topics)} topics; leaving one out in turn needs three or more")
    ranked_topic = pairs.topic_of[pairs.ranked_text]
    folds = []
    for topic in range(len(pairs.topics)):
        inside, ranked_inside = pairs.pair_topic == topic, ranked_topic == topic
        folds.append(
            Fold(
                train=pairs.both[~inside],
                first_wins=pairs.first_wins[~inside],
                train_ranked=pairs.ranked_text[~ranked_inside],
                train_ranks=pairs.rank[~ranked_inside],
                test=pairs.both[inside],
                test_ranked=pairs.ranked_text[ranked_inside],
                test_places=np.flatnonzero(inside),
                ranked_places=np.flatnonzero(ranked_inside),
            )
        )
    return Experiment(pairs, pairs.texts, pairs.topic_of, tuple(folds))


def transfers(data: Path, test: Path) -> list[Experiment]:
    """One experiment per set in `test`, learned from the first, cleanest set in `data`."""
    source = read_pairs(data)[0]
    return [_transfer(source, target) for target in read_pairs(test)]


def sets_left_out(folders: Sequence[Path]) -> list[Experiment]:
    """For each folder's set, an experiment learned from all other sets together, and one from each of them alone."""
    sets = different_sets(folders)
    experiments = []
    for target in sets:
        others = [source for source in sets if source is not target]
        sources = [joined(others), *others] if len(others) > 1 else others
        experiments += [_transfer(source, target) for source in sources]
    return experiments


def _transfer(source: ArgumentPairs, target: ArgumentPairs) -> Experiment:
    together, shift = joined([source, target]), len(source.texts)
    fold = Fold(
        train=source.both,
        first_wins=source.first_wins,
        train_ranked=source.ranked_text,
        train_ranks=source.rank,
        test=target.both + shift,
        test_ranked=target.ranked_text + shift,
        test_places=np.arange(len(target.first)),
        ranked_places=np.arange(len(target.rank)),
    )
    return Experiment(target, together.texts, together.topic_of, (fold,), learned_from=source.name)


def cache_folder() -> Path:
    """Where judgements are kept between calls, so that an interrupted evaluation continues where it stopped."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rostrum" / "convincing"


def folder_of(cache: Path, experiment: Experiment, method: Method, options: MethodOptions) -> Path:
    """The folder of one method's judgements on one set; other data, versions or models have another one."""
    plain = "".join(c if c.isalnum() else "-" for c in method.name)
    used = hashlib.sha256(json.dumps(method.needs(options), sort_keys=True).encode()).hexdigest()
    return cache / experiment.digest[:16] / f"{plain}-{method.version}-{used[:8]}-{options.seed}"


def store(judgement: Judgement, file: Path) -> None:
    """Write the judgement, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {name: None if values is None else values.tolist() for name, values in vars(judgement).items()}
    write_file(file, json.dumps(content).encode(), replace=True)


def stored(file: Path) -> Judgement:
    """A judgement that `store` wrote."""
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    arrays: dict[str, Any] = {
        name: None if values is None else np.array(values, float) for name, values in content.items()
    }
    return Judgement(**arrays)
