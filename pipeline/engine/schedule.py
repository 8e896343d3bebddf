"""Decides which job begins next: one whose dependencies have ended, and of earlier speeches first."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipeline.engine.job import Job
from pipeline.engine.scopes import Place


@dataclass(frozen=True)
class Capacity:
    """How many jobs may run at once: those that have the device to themselves, and the others."""

    device: int
    others: int


class Schedule:
    """The jobs that wait, those that may begin now, and those that are lost because another job failed.

    `failed` are the places of artifacts whose jobs failed while they were planned.
    """

    def __init__(self, jobs: Iterable[Job], failed: Iterable[Place], capacity: Capacity) -> None:
        self._jobs = {job.place: job for job in jobs}
        self._rank = {place: rank for rank, place in enumerate(self._jobs)}
        self._free = {True: capacity.device, False: capacity.others}
        self._ready: dict[bool, list[tuple[int, Place]]] = {True: [], False: []}
        self._waits: dict[Place, set[Place]] = {}
        self._followers: dict[Place, list[Place]] = defaultdict(list)
        for place, job in self._jobs.items():
            self._waits[place] = {maker for maker in _makers(job) if maker in self._jobs}
            for maker in self._waits[place]:
                self._followers[maker].append(place)
            if not self._waits[place]:
                self._make_ready(place)
        self._lost = set(failed)
        for place, job in self._jobs.items():
            if self._lost & job.needed:
                self._drop(place)

    def begin(self) -> Iterator[Job]:
        """Yield the jobs that may begin now. Each counts as running until `end` is called for it."""
        for alone, ready in self._ready.items():
            while ready and self._free[alone]:
                _, place = heapq.heappop(ready)
                if place not in self._lost:
                    self._free[alone] -= 1
                    yield self._jobs[place].without(self._lost)

    def end(self, job: Job, *, failed: bool) -> None:
        """Note that a job has ended. After a failure, jobs that need its result are dropped.

        A job of a motion is still done, without the speech that failed.
        """
        self._free[job.is_alone] += 1
        if failed:
            self._lost.add(job.place)
        self._let_go(job.place, failed)

    def _let_go(self, place: Place, failed: bool) -> None:
        for follower in self._followers[place]:
            self._waits[follower].discard(place)
            if failed and place in self._jobs[follower].needed:
                self._drop(follower)
            elif not self._waits[follower]:
                self._make_ready(follower)

    def _make_ready(self, place: Place) -> None:
        heapq.heappush(self._ready[self._jobs[place].is_alone], (self._rank[place], place))

    def _drop(self, place: Place) -> None:
        if place not in self._lost:
            self._lost.add(place)
            self._let_go(place, failed=True)


def _makers(job: Job) -> Iterator[Place]:
    """The places of all artifacts that the job reads."""
    for places in job.stored.values():
        yield from places.values()
