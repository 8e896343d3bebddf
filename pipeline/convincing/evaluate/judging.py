"""The protocol of a convincingness method: it learns from some pairs and ranks, and judges others."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np

from pipeline.arrays import Floats, Integers, Mask, Vector
from pipeline.convincing.representation import ENCODER, View, described
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
        """The value of that name, computed at the first call."""
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


# Judgements on disk, so that an interrupted evaluation continues where it stopped.
