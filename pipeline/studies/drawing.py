"""Who gets which item: every item as often as wanted, no worker twice, evenly, by a seed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.studies.items import Item
from pipeline.studies.study import Sheet

T = TypeVar("T")


def spread(items: Sequence[T], groups: Sequence[str], most: int | None) -> list[T]:
    """At most so many of the items, one of each group in turn, in the given order within a group."""
    if most is None or most >= len(items):
        return list(items)
    queues = [list(members) for members in grouped(zip(groups, items, strict=True)).values()]
    taken: list[T] = []
    while len(taken) < most:
        taken += [queue.pop(0) for queue in queues if queue][: most - len(taken)]
    return taken


def shuffled(items: Sequence[T], random: np.random.Generator) -> list[T]:
    """The items in an order by chance."""
    return [items[index] for index in random.permutation(len(items))]


def choose_known(
    items: Sequence[Item], training: int, tests: int, random: np.random.Generator
) -> tuple[list[Item], list[Item]]:
    """(items for training, items for tests), by chance among those with known answers. No two have one subject.

    They are of the first mode, if there are several.
    """
    candidates = [item for item in items if item.known and item.mode == items[0].mode]
    known = {item.subject: item for item in shuffled(candidates, random)}
    if len(known) < training + tests:
        raise RostrumError(
            f"{training + tests} items with known answers are wanted for training and tests, and there are "
            f"{len(known)}; lower --training and --tests, or give known answers with --known"
        )
    chosen = list(known.values())
    return chosen[:training], chosen[training : training + tests]


def sheets(
    items: Sequence[Item],
    workers: Sequence[str],
    per_item: int,
    random: np.random.Generator,
    *,
    training: Sequence[Item] = (),
    tests: Sequence[Item] = (),
) -> tuple[Sheet, ...]:
    """The sheet of each worker: training, then the own items in an order by chance, with the tests among them.

    Items of one subject go to different workers. The numbers of items of any two workers differ by one at most.
    """
    own = assigned(items, workers, per_item, random)
    made = []
    for worker in workers:
        order = _mixed(shuffled(own[worker], random), shuffled([test.id for test in tests], random), random)
        made.append(Sheet(worker=worker, items=(*(item.id for item in training), *order), training=len(training)))
    return tuple(made)


def assigned(
    items: Iterable[Item], workers: Sequence[str], per_item: int, random: np.random.Generator
) -> Mapping[str, list[str]]:
    """The items of each worker. Those with the fewest so far get the next ones; chance decides between equals."""
    by_subject = grouped((item.subject, item) for item in items)
    most = max((len(members) for members in by_subject.values()), default=0) * per_item
    if most > len(workers):
        raise RostrumError(
            f"{most} workers are needed, and there are {len(workers)}: nobody gets the same twice; "
            "give more --workers or fewer --answers"
        )
    own: dict[str, list[str]] = {worker: [] for worker in workers}
    for members in shuffled(list(by_subject.values()), random):
        free = sorted(shuffled(workers, random), key=lambda worker: len(own[worker]))
        chosen = shuffled(free[: len(members) * per_item], random)
        for place, item in enumerate(members):
            for worker in chosen[place * per_item : (place + 1) * per_item]:
                own[worker].append(item.id)
    return own


def _mixed(own: Sequence[str], tests: Sequence[str], random: np.random.Generator) -> list[str]:
    """The own items with the tests at places by chance."""
    order = list(own)
    for test in tests:
        order.insert(int(random.integers(len(order) + 1)), test)
    return order
