"""The order of a run: a job is ready when those that it takes from have ended, and earlier speeches come first."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.engine.job import Job
from pipeline.engine.plan import Item, Plan

Key = tuple[str, str]


@dataclass(frozen=True)
class Capacity:
    """How many jobs may run at once: those with a model, and the others."""

    heavy: int
    light: int


class Schedule:
    """What is to be done, what may begin now, and what cannot be done any more."""

    def __init__(self, plans: Iterable[Plan], capacity: Capacity) -> None:
        plans = list(plans)
        self._jobs = {(job.scope, job.stage.name): (plan.item, job) for plan in plans for job in plan.todo}
        self._rank = {key: rank for rank, key in enumerate(self._jobs)}
        self._free = {True: capacity.heavy, False: capacity.light}
        self._ready: dict[bool, list[tuple[int, Key]]] = {True: [], False: []}
        self._waits: dict[Key, set[Key]] = {}
        self._followers: dict[Key, list[Key]] = defaultdict(list)
        self._dropped: set[Key] = set()
        for key, (_, job) in self._jobs.items():
            self._waits[key] = {maker for maker in _makers(job) if maker in self._jobs}
            for maker in self._waits[key]:
                self._followers[maker].append(key)
            if not self._waits[key]:
                self._make_ready(key)
        failed = {
            (plan.item.scope, name) for plan in plans for name, each in plan.done.items() if each.state == "failed"
        }
        for key, (_, job) in self._jobs.items():
            if failed & set(_needed(job)):
                self._drop(key)

    def __len__(self) -> int:
        return len(self._jobs)

    def begin(self) -> Iterator[tuple[Item, Job]]:
        """The jobs that may begin now; they count as running until they are ended."""
        for heavy, ready in self._ready.items():
            while ready and self._free[heavy]:
                _, key = heapq.heappop(ready)
                if key not in self._dropped:
                    self._free[heavy] -= 1
                    yield self._jobs[key]

    def end(self, job: Job, *, failed: bool) -> None:
        """A job has ended. Where it failed, what needs it is not done; a motion goes on without the speech."""
        self._free[job.stage.uses_device] += 1
        self._let_go((job.scope, job.stage.name), failed)

    def _let_go(self, key: Key, failed: bool) -> None:
        for follower in self._followers[key]:
            self._waits[follower].discard(key)
            if failed and key in _needed(self._jobs[follower][1]):
                self._drop(follower)
            elif not self._waits[follower]:
                self._make_ready(follower)

    def _make_ready(self, key: Key) -> None:
        heapq.heappush(self._ready[self._jobs[key][1].stage.uses_device], (self._rank[key], key))

    def _drop(self, key: Key) -> None:
        if key not in self._dropped:
            self._dropped.add(key)
            self._let_go(key, failed=True)


def _makers(job: Job) -> Iterator[Key]:
    """Where everything lies that the job takes from the store."""
    for places in job.stored.values():
        yield from ((place.scope, place.stage) for place in places)


def _needed(job: Job) -> Iterator[Key]:
    """What the job cannot do without: all of its own speech's or motion's."""
    return (key for key in _makers(job) if key[0] == job.scope)
