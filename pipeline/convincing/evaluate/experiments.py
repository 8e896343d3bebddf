"""Training and test data of an experiment: topics left out in turn, or one set after learning from another."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.arrays import Integers
from pipeline.convincing.evaluate.data import ArgumentPairs, different_sets, joined, read_pairs
from pipeline.convincing.evaluate.judging import Fold
from pipeline.errors import RostrumError


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
    """One fold per topic, learned from the other topics."""
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
    return [
        _transfer(source, target)
        for target in sets
        for source in _sources([each for each in sets if each is not target])
    ]


def _sources(others: Sequence[ArgumentPairs]) -> list[ArgumentPairs]:
    return [joined(others), *others] if len(others) > 1 else list(others)


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


# How good a model is on collections that it did not learn from, and the temperature that calibrates it there.
