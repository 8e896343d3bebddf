"""Which items are asked, and who gets which: as often as wanted, no worker twice, evenly, by a seed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TypeVar

import numpy as np

from pipeline.counter import CounterScores
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.keypoints import KeyPoints
from pipeline.mentions import Mentions
from pipeline.report.judging import doubt_of
from pipeline.run.finished import FinishedRun
from pipeline.studies.items import Item
from pipeline.studies.study import Sheet

T = TypeVar("T")


def spread(items: Sequence[T], groups: Sequence[str], most: int | None) -> list[T]:
    """At most so many of the items, drawn round-robin over the groups."""
    if most is None or most >= len(items):
        return list(items)
    queues = [list(members) for members in grouped(zip(groups, items, strict=True)).values()]
    taken: list[T] = []
    while len(taken) < most:
        taken += [queue.pop(0) for queue in queues if queue][: most - len(taken)]
    return taken


def shuffled(items: Sequence[T], random: np.random.Generator) -> list[T]:
    """The items in random order."""
    return [items[index] for index in random.permutation(len(items))]


def choose_known(
    items: Sequence[Item], training: int, tests: int, random: np.random.Generator
) -> tuple[list[Item], list[Item]]:
    """(items for training, items for tests), at random among those with known answers. No two have one subject.

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
    """The sheet of each worker: training, then the own items in random order, with the tests among them.

    Items of one subject go to different workers. The numbers of items of any two workers differ by one at most.
    """
    own = assigned(items, workers, per_item, random)
    drawn = []
    for worker in workers:
        order = _mixed(shuffled(own[worker], random), shuffled([test.id for test in tests], random), random)
        drawn.append(Sheet(worker=worker, items=(*(item.id for item in training), *order), training=len(training)))
    return tuple(drawn)


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
        for index, item in enumerate(members):
            for worker in chosen[index * per_item : (index + 1) * per_item]:
                own[worker].append(item.id)
    return own


def _mixed(own: Sequence[str], tests: Sequence[str], random: np.random.Generator) -> list[str]:
    """The own items with the tests at random positions."""
    order = list(own)
    for test in tests:
        order.insert(int(random.integers(len(order) + 1)), test)
    return order


# What to ask next: items on which a run is least sure come first. What is known already is not asked again.


def most_doubtful(task: str, items: Sequence[Item], run: FinishedRun | None) -> list[Item]:
    """Uncertainty sampling: the items without known answers, the least certain first. The order of equals stays."""
    if task not in _DOUBTS:
        raise RostrumError(f"the task {task} has no order by uncertainty; there is one for {', '.join(_DOUBTS)}")
    if run is None:
        raise RostrumError("--by uncertainty needs to know what a run decided; give a run as SOURCE")
    doubt = _DOUBTS[task]
    return sorted((item for item in items if not item.known), key=lambda item: -doubt(run, item))


def _of_listening(run: FinishedRun, item: Item) -> float:
    """The mean doubt about the arguments of a speech; 0 if the run did not look for them."""
    record = run.of_speech(Mentions, item.subject)
    asked = set(item.about.values())
    own = [mention.probability for mention in record.mentions if mention.argument in asked] if record else []
    return fmean(doubt_of(probability, record.threshold) for probability in own) if record and own else 0.0


def _of_counter(run: FinishedRun, item: Item) -> float:
    """How near the second candidate's score is to the first's, in the spread of the motion's scores."""
    record = run.of_motion(CounterScores, item.group)
    pairs = record.pairs if record else ()
    candidates = set(item.about.values())
    own = sorted(pair.score for pair in pairs if pair.supporting == item.subject and pair.opposing in candidates)
    spread = max((pair.score for pair in pairs), default=0.0) - min((pair.score for pair in pairs), default=0.0)
    return 1.0 - (own[-1] - own[-2]) / spread if len(own) > 1 and spread else 0.0


def _of_keypoints(run: FinishedRun, item: Item) -> float:
    """How near the best score of a sentence is to the threshold for a match."""
    text = item.shown[0].text
    scores = [
        (match.score, record.threshold)
        for motion in run.motions
        if motion.text == item.group and (record := run.of_motion(KeyPoints, motion.id))
        for point in record.points
        for match in point.matches
        if match.said.text == text
    ]
    if not scores:
        return 0.0
    score, threshold = max(scores)
    return max(0.0, 1.0 - (score - threshold) / max(1 - threshold, 0.001))


_DOUBTS: dict[str, Callable[[FinishedRun, Item], float]] = {
    "listening": _of_listening,
    "counter": _of_counter,
    "keypoints": _of_keypoints,
}
