"""Which part of the data is used for which purpose, and parts made of other parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.errors import RostrumError
from pipeline.evaluation.keypoints.data import Part, part_names, read_part


@dataclass(frozen=True)
class Parts:
    """The part that the figures are of, the part to learn from, and the one that a threshold is chosen on."""

    figures: Part
    folder: Path
    training: Part | None
    dev: Part | None


def choose_parts(data: Path, test: Path | None) -> Parts:
    """The parts to score, to learn from and to choose a threshold on, from one folder or two."""
    names = part_names(data)
    training, dev = training_parts(data) if test or "train" in names else (None, None)
    if test:
        return Parts(read_part(test, _only(part_names(test), test, "test")), test, training, dev)
    others = [name for name in names if name != "train"]
    if not others:
        raise RostrumError(f"{data}: a training part and nothing to score; add dev, or give --test")
    return Parts(read_part(data, _only(others, data, "dev" if training else "test")), data, training, dev)


def training_parts(data: Path) -> tuple[Part, Part | None]:
    """The part of a folder to learn from, and dev if it is there."""
    names = part_names(data)
    name = _only(names, data, "train")
    return read_part(data, name), read_part(data, "dev") if "dev" in names and name != "dev" else None


def _only(names: Sequence[str], folder: Path, preferred: str) -> str:
    """The only part there is, or the preferred one of several."""
    if len(names) == 1:
        return names[0]
    if preferred in names:
        return preferred
    raise RostrumError(f"{folder}: has the parts {', '.join(map(repr, names))}, and none of them is called {preferred}")


def labelled_parts(data: Path) -> Part:
    """All labelled parts of a folder as one."""
    parts = [part for part in (read_part(data, name) for name in part_names(data)) if part.labels]
    if not parts:
        raise RostrumError(f"{data}: no part of it has labels")
    return Part(
        " and ".join(part.name for part in parts),
        tuple(argument for part in parts for argument in part.arguments),
        tuple(point for part in parts for point in part.key_points),
        {pair: label for part in parts for pair, label in part.labels.items()},
        tuple(remark for part in parts for remark in part.remarks),
    )


def of_topics(part: Part, topics: Sequence[str]) -> Part:
    """The arguments and key points of some topics, with their labels."""
    arguments = tuple(each for each in part.arguments if each.topic in topics)
    key_points = tuple(each for each in part.key_points if each.topic in topics)
    ids = {each.id for each in arguments}
    return Part(part.name, arguments, key_points, {pair: y for pair, y in part.labels.items() if pair[0] in ids})


def folds(part: Part, count: int, seed: int) -> list[list[str]]:
    """The topics in random order, cut into `count` parts."""
    topics = list(dict.fromkeys(group.topic for group in part.groups))
    if not 2 <= count <= len(topics):
        raise RostrumError(f"--folds {count}: there are {len(topics)} topics; give 2 to {len(topics)}")
    order = [topics[index] for index in np.random.default_rng(seed).permutation(len(topics))]
    return [order[start::count] for start in range(count)]
